/** Runs work in transactions of a database engine, and calls the hooks of a transaction at its end. */

import type { JobKind } from '../jobs/job.ts';
import type { Engine, TransactionOptions } from './sql/engine.ts';
import { ReadTransaction, type SharedObjects, Transaction, type TransactionHooks } from './transaction.ts';

export interface Store {
  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /** Resolves when the transaction is durable: fsynced, not merely written. */
  write<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

export interface StoreOptions {
  /** Objects that all transactions share; `ReadTransaction.shared` finds them. */
  readonly shared?: SharedObjects;
  /** Announces each kind of job that a committed transaction has saved. */
  readonly onJobSaved?: (kind: JobKind) => void;
}

/** Collects what a transaction asks for at its end. An engine may run the work again after a conflict. */
class EndOfTransaction implements TransactionHooks {
  #afterCommit: (() => void)[] = [];
  #afterEnd: (() => void)[] = [];
  #savedKinds = new Set<JobKind>();

  /** Discards what a rolled back run wanted after its commit. */
  restart(): void {
    this.#afterCommit = [];
    this.#savedKinds.clear();
  }

  afterCommit(hook: () => void): void {
    this.#afterCommit.push(hook);
  }

  afterEnd(hook: () => void): void {
    this.#afterEnd.push(hook);
  }

  readonly jobSaved = (kind: JobKind): void => {
    this.#savedKinds.add(kind);
  };

  committed(onJobSaved: (kind: JobKind) => void): void {
    for (const kind of this.#savedKinds) onJobSaved(kind);
    for (const hook of this.#afterCommit) hook();
  }

  ended(): void {
    for (const hook of this.#afterEnd) hook();
  }
}

export function createStore(engine: Engine, { shared = [], onJobSaved = () => {} }: StoreOptions = {}): Store {
  return Object.freeze<Store>({
    read: (work) => engine.read((session) => work(new ReadTransaction(session, shared))),
    async write(work, options) {
      const end = new EndOfTransaction();
      try {
        const result = await engine.write((session) => {
          end.restart();
          return work(new Transaction(session, end, shared));
        }, options);
        end.committed(onJobSaved);
        return result;
      } finally {
        // After a failed commit, too: its outcome may be unknown.
        end.ended();
      }
    },
  });
}
