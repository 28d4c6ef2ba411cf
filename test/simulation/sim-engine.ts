/** The engine of one simulated process over the shared database: concurrent transactions that conflict, fail and are retried. */
import { CommitUnknown, type StoreUnavailable } from '../../src/stores/errors.ts';
import type { Engine, Row, Session, Statement, TransactionSession, Value } from '../../src/stores/sql/engine.ts';
import { currentAttempt } from './attempt.ts';
import type { Port } from './port.ts';
import type { SimDatabase, SimTransaction } from './sim-database.ts';
import { type GroupDefect, SimGroupQueue } from './sim-group.ts';
import {
  Conflict,
  down,
  type Isolation,
  limitMs,
  pollMs,
  refuse,
  SimulatedSession,
  writerMsMax,
} from './sim-session.ts';

export type { Isolation };

const conflictMsMax = 4_000;

export class SimEngine implements Engine {
  readonly dialect = 'sqlite';
  readonly database: SimDatabase;
  readonly port: Port;
  readonly isolation: Isolation;
  readonly #groups: SimGroupQueue;

  constructor(database: SimDatabase, port: Port, isolation: Isolation, groupDefect?: GroupDefect) {
    this.database = database;
    this.port = port;
    this.isolation = isolation;
    this.#groups = new SimGroupQueue(this, groupDefect);
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
    return this.#retryConflicts(() =>
      this.isolation === 'grouped' ? this.#groups.write(work) : this.#transaction(work),
    );
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
