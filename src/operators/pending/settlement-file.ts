/** Settles requests whose outcome is unknown from the rows of a file. */

import type { Reason, RowImporter } from '../../backend/index.ts';
import {
  type Infer,
  object,
  oneOf,
  optional,
  Problem,
  required,
  type Service,
  string,
} from '../../core/contract/index.ts';
import type { RequestHasher } from '../../core/idempotency/index.ts';
import { redact } from '../../core/lib/index.ts';
import { UnsettledRequestRepository } from '../../stores/index.ts';
import { pendingProblems } from './contract.ts';
import { recordKeysOf, refuseSettlement, type Settlement, settleRequest } from './settle-request.ts';

export const settlementRow = object('SettlementRow', {
  outcome: required(
    oneOf('Settlement', 'done', 'notDone', 'refused'),
    'done: the other server had the effect. notDone: it had not, and a retry is executed. refused: it refused the request.',
  ),
  id: optional(string({ max: 100, example: '8816080397613514' }), 'The id that `pending list` prints.'),
  tenant: optional(string({ max: 200, example: 'Acme' }), 'With key, instead of id: the tenant of the caller.'),
  partition: optional(
    string({ max: 200, example: 'BP-1' }),
    'With key: the partition of the tenant that the credential is confined to, if there is one.',
  ),
  key: optional(string({ max: 256, example: 'order-7' }), 'The Idempotency-Key of the caller.'),
  output: optional(string({ max: 60_000, example: '{"id":"o-7"}' }), 'For done: the output as JSON. A retry gets it.'),
  code: optional(string({ max: 40, example: '192' }), 'For refused: the error code.'),
  message: optional(
    string({ max: 1_000, example: 'Refused' }),
    'For refused: the text; that of the contract by default.',
  ),
});

type SettlementRow = Infer<typeof settlementRow>;

/** A row that was settled. */
export interface SettledRow {
  readonly line: number;
  readonly id: string;
  readonly outcome: SettlementRow['outcome'];
  /** What a retry gets. */
  readonly consequence: string;
}

export interface SettlementImporter extends RowImporter<SettlementRow> {
  /** Returns the rows that were settled since the last call. For the end of a batch: a row of a batch that is rolled back is none. */
  takeSettled(): readonly SettledRow[];
}

interface SettlementParts {
  /** Those that this program serves. */
  readonly services: readonly Service[];
  readonly hasher: RequestHasher;
  /** Where the requests are in no table of the transaction. */
  readonly foreign?: SettledRequests | undefined;
}

type SettledRequests = Pick<UnsettledRequestRepository, 'find' | 'findByRecordKey' | 'settle'>;

export function createSettlementImporter({ services, hasher, foreign }: SettlementParts): SettlementImporter {
  /** By line: a batch may be saved more than once. */
  const settled = new Map<number, SettledRow>();
  return Object.freeze<SettlementImporter>({
    sourcePrefix: 'settlements ',
    schema: settlementRow,
    async save(row, tx, line) {
      settled.delete(line);
      try {
        const unsettled = foreign ?? tx.repository(UnsettledRequestRepository);
        const id = await findId(row, unsettled, hasher);
        const consequence = await settleRequest({ unsettled, requestHasher: hasher, services }, id, settlementOf(row));
        settled.set(line, { line, id, outcome: row.outcome, consequence });
        return undefined;
      } catch (thrown) {
        if (thrown instanceof Problem && thrown.kind === pendingProblems.notSettled) return reasonsOf(thrown);
        throw thrown;
      }
    },
    takeSettled() {
      const taken = [...settled.values()];
      settled.clear();
      return taken;
    },
  });
}

async function findId(
  { id, tenant, partition, key }: SettlementRow,
  unsettled: SettledRequests,
  hasher: RequestHasher,
): Promise<string> {
  if (id !== undefined && key === undefined) return id;
  if (id !== undefined || tenant === undefined || key === undefined)
    refuseSettlement('the row needs either an id, or a tenant and a key');
  for (const recordKey of recordKeysOf(hasher, { tenant, partition }, key)) {
    const found = await unsettled.findByRecordKey(recordKey);
    if (found !== undefined) return found.id;
  }
  refuseSettlement('no request with this tenant and key is pending: it was answered or settled, or never was');
}

/** Throws notSettled for members that belong to another outcome. */
function settlementOf({ outcome, output, code, message }: SettlementRow): Settlement {
  const isExcess =
    (output !== undefined && outcome !== 'done') || ((code ?? message) !== undefined && outcome !== 'refused');
  if (isExcess) refuseSettlement('output belongs to done, and code and message to refused');
  return { result: outcome, output, code, message };
}

function reasonsOf({ message }: Problem): readonly Reason[] {
  return message.split('\n').map((line) => ({ field: '', code: '000', message: redact(line.trim()) }));
}
