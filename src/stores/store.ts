/** Runs work in transactions of a database engine, and calls the hooks of a transaction at its end. */
import type { JobKind } from './jobs/job.ts';
import type { Engine, TransactionOptions } from './sql/engine.ts';
import { ReadTransaction, type SharedObjects, Transaction } from './transaction.ts';

/** Runs work that reads. */
export interface ReadStore {
  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
}

export interface Store extends ReadStore {
  /** Resolves when the transaction is durable: fsynced, not merely written. */
  write<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

interface StoreOptions {
  /** Objects that all transactions share; `ReadTransaction.shared` finds them. */
  readonly shared?: SharedObjects;
  /** Announces each kind of job that a committed transaction has saved. */
  readonly onJobSaved?: (kind: JobKind) => void;
}

export function createStore(engine: Engine, { shared = [], onJobSaved = () => {} }: StoreOptions = {}): Store {
  return Object.freeze<Store>({
    read: (work) => engine.read((session) => work(new ReadTransaction(session, shared))),
    async write(work, options) {
      const hooks: (() => void)[] = [];
      const savedKinds = new Set<JobKind>();
      try {
        const result = await engine.write((session) => {
          // An engine may run the work again after a conflict: the jobs of the earlier run are rolled back.
          savedKinds.clear();
          return work(new Transaction(session, { hooks, savedKinds }, shared));
        }, options);
        for (const kind of savedKinds) onJobSaved(kind);
        return result;
      } finally {
        // After a failed commit, too: its outcome may be unknown.
        for (const hook of hooks) hook();
      }
    },
  });
}
