/** Lists, shows and settles pending requests, and finds idempotency records. */
import type { Operation } from '../../contract/operation.ts';
import type { MaskSecrets } from '../../contract/redaction.ts';
import { newestOf, type Service } from '../../contract/service.ts';
import { createTextMasker } from '../../contract/text-detector.ts';
import { openOutcome } from '../../idempotency/stored-outcome.ts';
import type { UnsettledRequest } from '../../store/sql/unsettled-requests.ts';
import { type OperatorContext, type OperatorHandlers, refuse } from '../operator.ts';
import { type pendingOperations, pendingProblems } from './contract.ts';
import { recordKeysOf, settleRequest } from './settle-request.ts';

const listedMax = 1_000;
const scannedMax = 10_000;
const hashLength = 8;

export const pendingHandlers: OperatorHandlers<(typeof pendingOperations)[number]> = {
  async findIdempotencyRecord({ tenant, partition, key }, { backend, services }) {
    const { inspection, requestHasher, requestStore } = backend;
    for (const recordKey of recordKeysOf(requestHasher, { tenant, partition }, key)) {
      const record = await inspection.findRecord(recordKey);
      if (record === undefined) continue;
      const { operation, outcome, requestHash, ...times } = record;
      const found = { ...times, found: true, operation, requestHash: requestHash.slice(0, hashLength) };
      if (outcome !== undefined) {
        const mask = createTextMasker(backend.services.textScan?.detector);
        const shown = maskOutcome(openOutcome(outcome, requestHasher), operation, services, mask);
        return { ...found, status: 'completed', outcome: shown };
      }
      const stored = await requestStore.read((tx) => tx.idempotencyRecords.find(recordKey));
      const pending = stored !== undefined && 'pending' in stored ? stored.pending : undefined;
      return { ...found, status: pending?.state ?? 'completed', pendingRequest: pending?.id };
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
function maskOutcome(text: string, operationName: string, services: readonly Service[], mask: MaskSecrets): string {
  const { output, ...others } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (output === undefined) return JSON.stringify(others);
  const operations = newestOf(services).flatMap(({ operations: all }): Operation[] => {
    const found = all.get(operationName);
    return found === undefined ? [] : [found];
  });
  const masked = operations.reduce<unknown>((value, operation) => mask(operation.output, value), output);
  return JSON.stringify({ ...others, output: operations.length === 0 ? '(hidden)' : masked });
}
