/** Stores an idempotency record with its outcome, as a request with a key does. */
import { type NewRecord, RecordStored, type StoredOutcome } from '../../src/core/idempotency/ports.ts';
import type { Store } from '../../src/stores/store.ts';

/** Returns the record that was stored before; undefined where there was none. */
export async function keepRecord(
  store: Store,
  recordKey: string,
  record: NewRecord,
  outcome: string,
): Promise<StoredOutcome | undefined> {
  try {
    await store.write(async (tx) => {
      await tx.idempotencyRecords.reserve(recordKey, record);
      await tx.idempotencyRecords.complete(recordKey, outcome);
    });
  } catch (thrown) {
    if (!(thrown instanceof RecordStored)) throw thrown;
    return (await store.read((tx) => tx.idempotencyRecords.find(recordKey))) as StoredOutcome | undefined;
  }
  return undefined;
}
