/** The engine of one simulated process over the shared database: units that overlap, meet, fail and are run again. */

import { LockTimeout } from '../../src/idempotency/ports.ts';
import type { Engine, Row, Session, Statement, TransactionSession, Value } from '../../src/store/sql/engine.ts';
import { CommitUnknown, StoreUnavailable } from '../../src/store/transaction.ts';
import { attempts } from './attempt.ts';
import type { Failure, Port } from './port.ts';
import type { SimDatabase, SimUnit } from './sim-database.ts';

/** How units keep out of each other's way: all of them, those at one row, or none until the commit. */
export type Isolation = 'serial' | 'locking' | 'optimistic';

const limitMs = 3_000;
/** A unit that nobody goes on with is ended by the database, where rows are locked. */
const idleMsMax = 3_000;
const conflictMsMax = 4_000;
const writerMsMax = 5_000;
const pollMs = 20;

/** Others were in the way; the unit begins again. */
class Conflict extends Error {
  override readonly name = 'Conflict';
}

const down = (why: string): StoreUnavailable => new StoreUnavailable(`simulated: ${why}`);

const refuse = (failure: Failure): never => {
  throw failure === 'conflict' ? new Conflict() : down(failure);
};

class UnitOfWork implements TransactionSession {
  readonly #engine: SimEngine;
  readonly #unit: SimUnit;
  /** After it the unit takes no more statements, unless an attempt undoes it. */
  #failure: { readonly thrown: unknown } | undefined;

  constructor(engine: SimEngine, unit: SimUnit) {
    this.#engine = engine;
    this.#unit = unit;
  }

  get failure(): { readonly thrown: unknown } | undefined {
    return this.#failure;
  }

  async query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]> {
    const { database } = this.#engine;
    return this.#step(
      statement.name,
      () => database.run(this.#unit, statement, parameters, false) as readonly Row[] as readonly R[],
    );
  }

  async execute(statement: Statement, parameters: readonly Value[]): Promise<number> {
    const { database } = this.#engine;
    if (statement.waitMsMax !== undefined) await this.#lock(`${statement.name} ${parameters[0]}`, statement.waitMsMax);
    return this.#step(statement.name, () => database.run(this.#unit, statement, parameters, true) as number);
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const nothing = (): void => {};
    const before = await this.#step('savepoint', () => this.#unit.entries.length);
    try {
      const result = await work();
      await this.#step('release savepoint', nothing);
      return result;
    } catch (thrown) {
      if (this.#failure?.thrown instanceof Conflict || this.#unit.over) throw thrown;
      this.#failure = undefined;
      await this.#step('rollback to savepoint', () => this.#engine.database.undo(this.#unit, before));
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
      // The database has ended the unit meanwhile: whatever that looked like, it begins again.
      this.#failure = { thrown: this.#unit.over ? new Conflict() : thrown };
      throw this.#failure.thrown;
    }
  }

  #use(): void {
    const { now } = this.#engine.port.scheduler;
    const idleMs = now - this.#unit.usedAt;
    if (this.#engine.isolation === 'locking' && idleMs > limitMs + idleMsMax) {
      this.#engine.database.end(this.#unit);
      throw new Conflict();
    }
    this.#unit.usedAt = now;
  }

  /** Waits for another unit at the same row, but not for long. */
  async #lock(row: string, waitMsMax: number): Promise<void> {
    if (this.#engine.isolation !== 'locking') return;
    const { port, database } = this.#engine;
    const deadline = port.scheduler.now + waitMsMax;
    for (;;) {
      const holder = [...database.open].find((unit) => unit !== this.#unit && unit.locks.has(row));
      if (holder === undefined) break;
      if (port.scheduler.now - holder.usedAt > limitMs + idleMsMax && !holder.committing) {
        database.end(holder);
        break;
      }
      if (port.scheduler.now >= deadline) {
        this.#failure = { thrown: new LockTimeout('another unit is at the same row') };
        throw this.#failure.thrown;
      }
      await port.scheduler.turn(port.owner, 'waits for a row', pollMs);
    }
    if (this.#unit.over) throw new Conflict();
    this.#unit.locks.add(row);
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
        this.#again(() =>
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
    return this.#again(() => this.#unit(work));
  }

  async close(): Promise<void> {}

  async #again<T>(once: () => Promise<T>): Promise<T> {
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

  async #unit<T>(work: (session: TransactionSession) => Promise<T>): Promise<T> {
    const unit = await this.#begin();
    const session = new UnitOfWork(this, unit);
    try {
      const outcome = await work(session).then(
        (value) => ({ value }),
        (thrown: unknown) => ({ thrown }),
      );
      if (session.failure !== undefined) throw session.failure.thrown;
      if ('thrown' in outcome) {
        await this.port.call({ point: 'rollback', kind: 'statement', limitMs, apply: () => {}, fail: () => {} });
        // What a unit made of a state that never was is of no account.
        throw !unit.over && this.database.holds(unit) ? outcome.thrown : new Conflict();
      }
      await this.#commit(unit);
      return outcome.value;
    } finally {
      if (!unit.committing) this.database.end(unit);
    }
  }

  async #begin(): Promise<SimUnit> {
    const { scheduler, owner } = this.port;
    const deadline = scheduler.now + writerMsMax;
    while (this.isolation === 'serial' && this.database.open.size > 0) {
      if (scheduler.now >= deadline) throw this.#unavailable('another process is writing');
      await scheduler.turn(owner, 'waits to write', pollMs);
    }
    // Taken at once, so that no two take it; the call is what may fail.
    const unit = this.database.begin(owner, attempts.getStore(), scheduler.now);
    try {
      await this.port.call({ point: 'begin', kind: 'statement', limitMs, apply: () => {}, fail: refuse });
    } catch (thrown) {
      this.database.end(unit);
      throw thrown;
    }
    return unit;
  }

  async #commit(unit: SimUnit): Promise<void> {
    const kept = await this.port.call({
      point: 'commit',
      kind: 'commit',
      limitMs,
      sent: () => {
        unit.committing = true;
      },
      apply: () => {
        unit.committing = false;
        return this.database.commit(unit);
      },
      fail: (failure) => {
        if (failure === 'error' || failure === 'conflict') return refuse(failure);
        if (unit.attempt !== undefined) unit.attempt.unknown = true;
        throw new CommitUnknown('simulated: the database went away during the commit');
      },
    });
    if (!kept) throw new Conflict();
  }

  #unavailable(why: string): StoreUnavailable {
    const attempt = attempts.getStore();
    if (attempt !== undefined) attempt.hurt = true;
    return down(why);
  }
}
