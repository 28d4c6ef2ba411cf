/** Lists, shows and settles pending requests, and finds idempotency records. */
import { maskSensitive, newestOf, type Operation, type Output, type Service } from '../../core/contract/index.ts';
import { openOutcome } from '../../core/idempotency/index.ts';
import type { UnsettledRequest } from '../../stores/index.ts';
import { type OperatorContext, type OperatorHandlers, refuse } from '../operator.ts';
import { type findIdempotencyRecord, type pendingOperations, pendingProblems } from './contract.ts';
import { recordKeysOf, settleRequest } from './settle-request.ts';

const listedMax = 1_000;
const scannedMax = 10_000;
const hashLength = 8;

type RecordAnswer = Output<typeof findIdempotencyRecord>;

export const pendingHandlers: OperatorHandlers<(typeof pendingOperations)[number]> = {
  async findIdempotencyRecord({ tenant, partition, key, reference }, context) {
    const { inspection, requestHasher, requestStore } = context.backend;
    if (reference !== undefined) return findByReference(reference, context);
    if (tenant === undefined || key === undefined) return refuse('name the tenant and the key, or the reference');
    for (const recordKey of recordKeysOf(requestHasher, { tenant, partition }, key)) {
      const record = await inspection.findRecord(recordKey);
      if (record === undefined) continue;
      if (record.outcome !== undefined) return describeCompleted(record, recordKey, context);
      const stored = await requestStore.read((tx) => tx.idempotencyRecords.find(recordKey));
      const pending = stored !== undefined && 'pending' in stored ? stored.pending : undefined;
      return { ...describeRecord(record), status: pending?.state ?? 'completed', pendingRequest: pending?.id };
    }
    return { found: false };
  },

  async listPendingRequests({ withInput = false, max = listedMax, ...filter }, { backend: { unsettled } }) {
    const wanted = Object.entries(filter) as [keyof typeof filter, string | undefined][];
    const found = (await unsettled.list(scannedMax)).filter((each) =>
      wanted.every(([member, value]) => value === undefined || each[member] === value),
    );
    return {
      requests: found.slice(0, max).map((each) => ({ ...describe(each), input: withInput ? each.input : undefined })),
    };
  },

  async getPendingRequest({ id }, context) {
    const found = await find(id, context);
    return { ...describe(found), input: found.input };
  },

  async settlePendingRequest({ id, ...given }, context) {
    const { backend, services } = context;
    await find(id, context);
    return { consequence: await settleRequest({ ...backend, services }, id, given) };
  },
};

type FoundRecord = NonNullable<Awaited<ReturnType<OperatorContext['backend']['inspection']['findRecord']>>>;

async function findByReference(reference: string, context: OperatorContext): Promise<RecordAnswer> {
  const { inspection, records, unsettled } = context.backend;
  if (context.boundTenant !== undefined) refuse('a record does not say whose it is: name its key');
  if (records !== undefined) refuse('this gateway has no database, so a record is found by its key only');
  const found = await inspection.findRecordOfReference(reference);
  if (found === undefined) return { found: false };
  const { recordKey, record } = found;
  if (record.outcome !== undefined) return describeCompleted(record, recordKey, context);
  // The reference of a request without an outcome is its id.
  const pending = await unsettled.find(reference);
  return { ...describeRecord(record), status: pending?.state ?? 'completed', pendingRequest: pending?.id };
}

function describeRecord({ outcome: _, requestHash, ...record }: FoundRecord) {
  return { ...record, found: true, requestHash: requestHash.slice(0, hashLength) };
}

function describeCompleted(
  record: FoundRecord,
  recordKey: string,
  { backend, services }: OperatorContext,
): RecordAnswer {
  const text = openOutcome(record.outcome ?? '', record.operation, { recordKey, hasher: backend.requestHasher });
  const outcome = maskOutcome(text, record.operation, services);
  return { ...describeRecord(record), status: 'completed', outcome };
}

async function find(id: string, { backend: { unsettled } }: OperatorContext): Promise<UnsettledRequest> {
  return (
    (await unsettled.find(id)) ??
    refuse(
      `no request with the id ${id} is pending: \`triglyph pending list\` prints them`,
      pendingProblems.pendingNotFound,
    )
  );
}

/** What operators see of a request, without its input. The key of the caller is not stored. */
function describe(request: UnsettledRequest) {
  const { id, state, upstream, service, operation, tenant, credential, startedAt, process, attempt, failure } = request;
  return {
    ...{ id, state, upstream, service, operation, tenant, credential, startedAt },
    ...{ hasKey: request.recordKey !== undefined, process },
    ...{ lastAttempt: attempt === id ? undefined : attempt, failure },
  };
}

/**
 * Masks the stored outcome of a request for people: what a contract calls sensitive, and secrets in texts. Returns JSON text. A record has the name of its operation only: where several services have one of this name, each masks the
 * output. Without one, the output is not shown.
 */
function maskOutcome(text: string, operationName: string, services: readonly Service[]): string {
  const { output, ...others } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (output === undefined) return JSON.stringify(others);
  const operations = newestOf(services).flatMap(({ operations: all }): Operation[] => {
    const found = all.get(operationName);
    return found === undefined ? [] : [found];
  });
  const masked = operations.reduce<unknown>((value, operation) => maskSensitive(operation.output, value), output);
  return JSON.stringify({ ...others, output: operations.length === 0 ? '(hidden)' : masked });
}
