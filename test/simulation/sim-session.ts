/** The session of a simulated transaction: each statement is a call that may fail. */
import { LockTimeout } from '../../src/core/idempotency/ports.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import type { Row, Statement, TransactionSession, Value } from '../../src/stores/sql/engine.ts';
import type { Failure, Port } from './port.ts';
import type { SimDatabase, SimTransaction } from './sim-database.ts';

/**
 * How transactions are isolated: one at a time, in groups with one commit, by locks on rows, or by validation at the
 * commit.
 */
export type Isolation = 'serial' | 'grouped' | 'locking' | 'optimistic';

export const limitMs = 3_000;
/** Where rows are locked, the database ends a transaction that is idle for longer. */
const idleMsMax = 3_000;
export const writerMsMax = 5_000;
export const pollMs = 20;

/** What a session needs of its engine. */
export interface SessionEngine {
  readonly database: SimDatabase;
  readonly port: Port;
  readonly isolation: Isolation;
}

/** Another transaction was in the way; this one begins again. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
}

export const down = (why: string): StoreUnavailable => new StoreUnavailable(`simulated: ${why}`);

export const refuse = (failure: Failure): never => {
  throw failure === 'conflict' ? new Conflict() : down(failure);
};

export class SimulatedSession implements TransactionSession {
  readonly #engine: SessionEngine;
  readonly #transaction: SimTransaction;
  /** After it the transaction accepts no more statements, unless a savepoint is rolled back. */
  #failure: { readonly thrown: unknown } | undefined;
  /** No savepoint rolls it back. */
  #unwritten: Error | undefined;

  constructor(engine: SessionEngine, transaction: SimTransaction) {
    this.#engine = engine;
    this.#transaction = transaction;
  }

  get failure(): { readonly thrown: unknown } | undefined {
    return this.#unwritten === undefined ? this.#failure : { thrown: this.#unwritten };
  }

  async query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]> {
    const { database } = this.#engine;
    return this.#step(
      statement.name,
      () => database.run(this.#transaction, statement, parameters, false) as readonly Row[] as readonly R[],
    );
  }

  async execute(statement: Statement, parameters: readonly Value[]): Promise<number> {
    const { database } = this.#engine;
    if (statement.waitMsMax !== undefined) await this.#lock(`${statement.name} ${parameters[0]}`, statement.waitMsMax);
    return this.#step(statement.name, () => database.run(this.#transaction, statement, parameters, true) as number);
  }

  /** As on PostgreSQL, the next statement runs before the error is known. */
  async executeDeferred(statement: Statement, parameters: readonly Value[], unwritten?: () => Error): Promise<void> {
    const written = await this.execute(statement, parameters);
    if (written === 0 && unwritten !== undefined) this.#unwritten ??= unwritten();
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const ignore = (): void => {};
    const before = await this.#step('savepoint', () => this.#transaction.entries.length);
    try {
      const result = await work();
      await this.#step('release savepoint', ignore);
      return result;
    } catch (thrown) {
      if (this.#failure?.thrown instanceof Conflict || this.#transaction.over) throw thrown;
      this.#failure = undefined;
      await this.#step('rollback to savepoint', () => this.#engine.database.rollbackTo(this.#transaction, before));
      throw thrown;
    }
  }

  async #step<T>(point: string, apply: () => T): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure.thrown;
    try {
      const result = await this.#engine.port.call({ point, kind: 'statement', limitMs, apply, fail: refuse });
      this.#use();
      if (this.#unwritten !== undefined) throw this.#unwritten;
      return result;
    } catch (thrown) {
      // The database has ended the transaction meanwhile: it begins again, whatever the error was.
      this.#failure = { thrown: this.#transaction.over ? new Conflict() : thrown };
      throw this.#failure.thrown;
    }
  }

  #use(): void {
    const { now } = this.#engine.port.scheduler;
    const idleMs = now - this.#transaction.usedAt;
    if (this.#engine.isolation === 'locking' && idleMs > limitMs + idleMsMax) {
      this.#engine.database.end(this.#transaction);
      throw new Conflict();
    }
    this.#transaction.usedAt = now;
  }

  /** Waits at most `waitMsMax` for another transaction at the same row. */
  async #lock(row: string, waitMsMax: number): Promise<void> {
    if (this.#engine.isolation !== 'locking') return;
    const { port, database } = this.#engine;
    const deadline = port.scheduler.now + waitMsMax;
    for (;;) {
      const lockOwner = [...database.open].find(
        (transaction) => transaction !== this.#transaction && transaction.locks.has(row),
      );
      if (lockOwner === undefined) break;
      if (port.scheduler.now - lockOwner.usedAt > limitMs + idleMsMax && !lockOwner.committing) {
        database.end(lockOwner);
        break;
      }
      if (port.scheduler.now >= deadline) {
        this.#failure = { thrown: new LockTimeout('another transaction is at the same row') };
        throw this.#failure.thrown;
      }
      await port.scheduler.turn(port.owner, 'waits for a row', pollMs);
    }
    if (this.#transaction.over) throw new Conflict();
    this.#transaction.locks.add(row);
  }
}
