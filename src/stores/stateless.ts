/** The store of a gateway that stores nothing: the other server alone decides what happened to a key, and gets the same key again. */
import type {
  IdempotencyRecords,
  IdempotentStore,
  IdempotentTransaction,
  PendingRequests,
} from '../core/idempotency/index.ts';
import { RemoteTransaction } from './remote-transaction.ts';
import type { ReadTransaction } from './transaction.ts';

/** Only for servers that deduplicate: with any other, a retry would be sent again. */
export function createStatelessStore(): IdempotentStore<ReadTransaction> {
  const transaction = new StatelessTransaction();
  return Object.freeze<IdempotentStore<ReadTransaction>>({
    read: (work) => work(transaction),
    write: (work) => work(transaction),
  });
}

const nothing = async (): Promise<undefined> => undefined;

const noPending: PendingRequests = Object.freeze<PendingRequests>({
  add: nothing,
  takeOver: async () => false,
  remove: async () => true,
  leave: nothing,
});

class StatelessTransaction extends RemoteTransaction implements IdempotentTransaction {
  override get idempotencyRecords(): IdempotencyRecords {
    return {
      ...super.idempotencyRecords,
      find: nothing,
      reservePending: nothing,
      completePending: nothing,
      removePending: nothing,
    };
  }

  get pendingRequests(): PendingRequests {
    return noPending;
  }
}
