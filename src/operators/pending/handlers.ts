/** Lists, shows and settles pending requests, and finds idempotency records. */
import { createTextMasker } from '../../contract/text-detector.ts';
import { openOutcome } from '../../idempotency/stored-outcome.ts';
import type { UnsettledRequest } from '../../store/sql/unsettled-requests.ts';
import { type OperatorContext, type OperatorHandlers, refuse } from '../operator.ts';
import { type pendingOperations, pendingProblems } from './contract.ts';
import { maskOutcome } from './masked-outcome.ts';
import { recordKeysOf, type Settlement, SettlementError, settleRequest } from './settle-request.ts';

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
    try {
      return { consequence: await settleRequest({ ...backend, services }, id, settlementOf(given)) };
    } catch (thrown) {
      if (thrown instanceof SettlementError) refuse(thrown.lines.join('\n'), pendingProblems.notSettled);
      throw thrown;
    }
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

interface GivenSettlement {
  readonly result: Settlement['kind'];
  readonly output?: string | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

function settlementOf({ result, output, code, message }: GivenSettlement): Settlement {
  switch (result) {
    case 'done':
      return { kind: 'done', output };
    case 'notDone':
      return { kind: 'notDone' };
    case 'refused':
      if (code === undefined) throw new SettlementError('a refusal needs the error code');
      return { kind: 'refused', code, message };
    default:
      return result satisfies never;
  }
}
