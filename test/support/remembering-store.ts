/** A seeded defect: a store whose idempotency records are remembered, and found without the database. */
import {
  type IdempotentTransaction,
  RecordStored,
  type StoredOutcome,
  type StoredRecord,
} from '../../src/core/idempotency/ports.ts';
import type { Store } from '../../src/stores/store.ts';
import type { ReadTransaction } from '../../src/stores/transaction.ts';
import { override } from './override.ts';

export interface OutcomeMemory {
  find(recordKey: string): Promise<StoredOutcome | undefined>;
  save(recordKey: string, stored: StoredOutcome): Promise<unknown>;
}

/** `beforeCommit`: an outcome is remembered as soon as its record is written. */
export function rememberOutcomes(
  store: Store,
  memory: OutcomeMemory,
  { beforeCommit = false }: { readonly beforeCommit?: boolean } = {},
): Store {
  const findOr = async (
    recordKey: string,
    find: () => Promise<StoredRecord | undefined>,
  ): Promise<StoredRecord | undefined> => {
    const remembered = await memory.find(recordKey);
    if (remembered !== undefined) return remembered;
    const stored = await find();
    if (stored !== undefined && 'outcome' in stored) await memory.save(recordKey, stored);
    return stored;
  };
  const read: Store['read'] = (work) =>
    store.read((transaction) => {
      const { idempotencyRecords } = transaction;
      const find = (key: string) => findOr(key, () => idempotencyRecords.find(key));
      return work(override(transaction, { idempotencyRecords: override(idempotencyRecords, { find }) }));
    });
  const write: Store['write'] = async (work) => {
    let written: readonly [string, StoredOutcome] | undefined;
    const result = await store.write((transaction) => {
      const { idempotencyRecords } = transaction;
      let requestHash = '';
      written = undefined;
      return work(
        overrideRecords(transaction, {
          reserve: async (key, entry) => {
            requestHash = entry.requestHash;
            if ((await memory.find(key)) !== undefined) throw new RecordStored();
            await idempotencyRecords.reserve(key, entry);
          },
          complete: async (key, outcome) => {
            await idempotencyRecords.complete(key, outcome);
            written = [key, { requestHash, outcome }];
            if (beforeCommit) await memory.save(...written);
          },
        }),
      );
    });
    if (written !== undefined) await memory.save(...written);
    return result;
  };
  return override(store, { read, write });
}

/** The transaction with other idempotency records. */
export function overrideRecords<Tx extends IdempotentTransaction & ReadTransaction>(
  transaction: Tx,
  records: Partial<Tx['idempotencyRecords']>,
): Tx {
  const { idempotencyRecords } = transaction;
  return override<IdempotentTransaction>(transaction, {
    idempotencyRecords: override(idempotencyRecords, records),
  }) as Tx;
}
