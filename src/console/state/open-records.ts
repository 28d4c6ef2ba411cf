/** Reads idempotency records and pending requests for the console, and settles these. */

import type { Backend } from '../../backend/backend.ts';
import {
  describeUnsettled,
  recordKeysOf,
  type Settlement,
  SettlementError,
  settleRequest,
} from '../../backend/settle-request.ts';
import { Problem } from '../../contract/problem.ts';
import type { MaskSecrets } from '../../contract/redaction.ts';
import type { Service } from '../../contract/service.ts';
import { openOutcome } from '../../idempotency/stored-outcome.ts';
import type { UnsettledRequest } from '../../store/sql/unsettled-requests.ts';
import type { PortOf } from '../bind-port.ts';
import { maskOutcome } from './masked-outcome.ts';
import { type recordOperations, stateProblems } from './records.ts';

export type RecordPort = PortOf<(typeof recordOperations)[number]>;

export interface RecordPortParts {
  readonly backend: Pick<Backend, 'inspection' | 'requestHasher' | 'unsettled' | 'store'>;
  readonly services: readonly Service[];
  readonly mask: MaskSecrets;
}

const listedMax = 1_000;
const hashLength = 8;

export function recordPort({ backend, services, mask }: RecordPortParts): RecordPort {
  const { inspection, requestHasher, unsettled, store } = backend;
  const findPending = async (id: string): Promise<UnsettledRequest> => {
    const found = await unsettled.find(id);
    if (found === undefined) throw new Problem(stateProblems.pendingNotFound);
    return found;
  };
  return {
    async findIdempotencyRecord({ tenant, partition, key }) {
      for (const recordKey of recordKeysOf(requestHasher, { tenant, partition }, key)) {
        const record = await inspection.findRecord(recordKey);
        if (record === undefined) continue;
        const { operation, outcome, requestHash, ...times } = record;
        const stored =
          outcome === undefined ? await store.read((tx) => tx.idempotencyRecords.find(recordKey)) : undefined;
        const pending = stored !== undefined && 'pending' in stored ? stored.pending : undefined;
        return {
          ...times,
          found: true,
          status: pending?.state ?? 'completed',
          operation,
          requestHash: requestHash.slice(0, hashLength),
          outcome:
            outcome === undefined
              ? undefined
              : maskOutcome(openOutcome(outcome, requestHasher), operation, services, mask),
          pendingRequest: pending?.id,
        };
      }
      return { found: false };
    },
    listPendingRequests: async () => ({ requests: (await unsettled.list(listedMax)).map(describeUnsettled) }),
    async getPendingRequest({ id }) {
      const found = await findPending(id);
      return { ...describeUnsettled(found), input: found.input };
    },
    async settlePendingRequest({ id, ...given }) {
      await findPending(id);
      try {
        return { consequence: await settleRequest({ unsettled, requestHasher, services }, id, settlementOf(given)) };
      } catch (thrown) {
        if (thrown instanceof SettlementError) throw new Problem(stateProblems.notSettled, thrown.lines.join('\n'));
        throw thrown;
      }
    },
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
