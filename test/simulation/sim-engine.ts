/** The engine of one simulated process over the shared database: concurrent transactions that conflict, fail and are retried. */
import { LockTimeout } from '../../src/idempotency/ports.ts';
import { CommitUnknown, StoreUnavailable } from '../../src/store/errors.ts';
import type { Engine, Row, Session, Statement, TransactionSession, Value } from '../../src/store/sql/engine.ts';
import { currentAttempt } from './attempt.ts';
import type { Failure, Port } from './port.ts';
import type { SimDatabase, SimTransaction } from './sim-database.ts';

/** How transactions are isolated: one at a time, by locks on rows, or by validation at the commit. */
export type Isolation = 'serial' | 'locking' | 'optimistic';

const limitMs = 3_000;
/** Where rows are locked, the database ends a transaction that is idle for longer. */
const idleMsMax = 3_000;
const conflictMsMax = 4_000;
const writerMsMax = 5_000;
const pollMs = 20;

/** Another transaction was in the way; this one begins again. */
class Conflict extends Error {
  override readonly name = 'Conflict';
}

const down = (why: string): StoreUnavailable => new StoreUnavailable(`simulated: ${why}`);

const refuse = (failure: Failure): never => {
  throw failure === 'conflict' ? new Conflict() : down(failure);
};

class SimulatedSession implements TransactionSession {
  readonly #engine: SimEngine;
  readonly #transaction: SimTransaction;
  /** After it the transaction accepts no more statements, unless a savepoint is rolled back. */
  #failure: { readonly thrown: unknown } | undefined;

  constructor(engine: SimEngine, transaction: SimTransaction) {
    this.#engine = engine;
    this.#transaction = transaction;
  }

  get failure(): { readonly thrown: unknown } | undefined {
    return this.#failure;
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

export class SimEngine implements Engine {
  readonly database: SimDatabase;
  readonly port: Port;
  readonly isolation: Isolation;

  constructor(database: SimDatabase, port: Port, isolation: Isolation) {
    this.database = database;
    this.port = port;
    this.isolation = isolation;
  }

  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return work({
      query: <R extends Row>(statement: Statement<R>, parameters: readonly Value[]) =>
        this.#retryConflicts(() =>
          this.port.call({
            point: statement.name,
            kind: 'statement',
            limitMs,
            apply: () => this.database.read(statement, parameters) as readonly R[],
            fail: refuse,
          }),
        ),
      execute: () => Promise.reject(new Error('a reader does not write')),
    });
  }

  write<T>(work: (session: TransactionSession) => Promise<T>): Promise<T> {
    return this.#retryConflicts(() => this.#transaction(work));
  }

  async close(): Promise<void> {}

  async #retryConflicts<T>(once: () => Promise<T>): Promise<T> {
    const { scheduler, owner } = this.port;
    const deadline = scheduler.now + conflictMsMax;
    for (;;) {
      try {
        return await once();
      } catch (thrown) {
        if (!(thrown instanceof Conflict)) throw thrown;
        if (scheduler.now >= deadline) throw this.#unavailable('conflicts');
      }
      await scheduler.turn(owner, 'begins again');
    }
  }

  async #transaction<T>(work: (session: TransactionSession) => Promise<T>): Promise<T> {
    const transaction = await this.#begin();
    const session = new SimulatedSession(this, transaction);
    try {
      const outcome = await work(session).then(
        (value) => ({ value }),
        (thrown: unknown) => ({ thrown }),
      );
      if (session.failure !== undefined) throw session.failure.thrown;
      if ('thrown' in outcome) {
        await this.port.call({ point: 'rollback', kind: 'statement', limitMs, apply: () => {}, fail: () => {} });
        // An error that follows from an inconsistent read does not count.
        throw !transaction.over && this.database.isValid(transaction) ? outcome.thrown : new Conflict();
      }
      await this.#commit(transaction);
      return outcome.value;
    } finally {
      if (!transaction.committing) this.database.end(transaction);
    }
  }

  async #begin(): Promise<SimTransaction> {
    const { scheduler, owner } = this.port;
    const deadline = scheduler.now + writerMsMax;
    while (this.isolation === 'serial' && this.database.open.size > 0) {
      if (scheduler.now >= deadline) throw this.#unavailable('another process is writing');
      await scheduler.turn(owner, 'waits to write', pollMs);
    }
    // Begun at once, so that no two begin together; the call is what may fail.
    const transaction = this.database.begin(owner, currentAttempt.getStore(), scheduler.now);
    try {
      await this.port.call({ point: 'begin', kind: 'statement', limitMs, apply: () => {}, fail: refuse });
    } catch (thrown) {
      this.database.end(transaction);
      throw thrown;
    }
    return transaction;
  }

  async #commit(transaction: SimTransaction): Promise<void> {
    const isCommitted = await this.port.call({
      point: 'commit',
      kind: 'commit',
      limitMs,
      sent: () => {
        transaction.committing = true;
      },
      apply: () => {
        transaction.committing = false;
        return this.database.commit(transaction);
      },
      fail: (failure) => {
        if (failure === 'error' || failure === 'conflict') return refuse(failure);
        if (transaction.attempt !== undefined) transaction.attempt.commitUnknown = true;
        throw new CommitUnknown('simulated: the database went away during the commit');
      },
    });
    if (!isCommitted) throw new Conflict();
  }

  #unavailable(why: string): StoreUnavailable {
    const attempt = currentAttempt.getStore();
    if (attempt !== undefined) attempt.disturbed = true;
    return down(why);
  }
}
