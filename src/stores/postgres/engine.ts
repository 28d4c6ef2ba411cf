/** The engine on PostgreSQL: runs serializable transactions on pooled connections and retries them after conflicts. */
import { setImmediate } from 'node:timers/promises';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { type AttemptResult, type Backoff, retry } from '../../core/lib/index.ts';
import { CommitUnknown, StoreUnavailable } from '../errors.ts';
import { type DatabaseAddress, publicAddress } from '../postgres-address.ts';
import {
  type Engine,
  isSelect,
  type PoolConnections,
  type Row,
  type Session,
  type Statement,
  type TransactionOptions,
  type TransactionSession,
  type Value,
} from '../sql/engine.ts';
import { Connection } from './connection.ts';
import { cannotConnect, TransientFailure } from './failure.ts';
import type { DatabaseHosts } from './hosts.ts';
import type { ServerWatch } from './server-watch.ts';
import { PostgresTransaction } from './transaction.ts';

/** The longest wait for a free connection while all are in use. */
const poolMsMax = 1_000;
/** How long a transaction is retried after conflicts. Of several that conflict, only one commits at a time. */
const conflictMsMax = 4_000;
/** The same without the time limits of requests. */
const patientMsMax = 10 * 60_000;
/** Attempts that may find their connection lost. After a restart of the server all pooled connections are lost. */
const lostMax = 3;
/** The quick statements on one connection. Each waits for those before it. */
const sharersMax = 16;
const backoff: Backoff = { firstMs: 2, maxMs: 100, jitter: 'full' };

const timedOut = Symbol('timedOut');

/** A connection for the quick statements of one turn of the event loop. */
interface SharedConnection {
  readonly connection: Promise<Connection>;
  /** How many statements have not ended. */
  sharers: number;
}

export class PostgresEngine implements Engine {
  readonly dialect = 'postgres';
  readonly connections: PoolConnections;
  readonly #pool: Pool;
  readonly #address: DatabaseAddress;
  readonly #hosts: DatabaseHosts;
  readonly #watch: ServerWatch;
  readonly #running = new Set<Promise<unknown>>();
  #shared: SharedConnection | undefined;
  #closed = false;

  constructor(pool: Pool, address: DatabaseAddress, hosts: DatabaseHosts, watch: ServerWatch) {
    this.#pool = pool;
    this.#address = address;
    this.#hosts = hosts;
    this.#watch = watch;
    this.connections = {
      state() {
        const { totalCount, idleCount: idle, waitingCount: waiting, options } = pool;
        return { busy: totalCount - idle, idle, waiting, max: options.max };
      },
      onWait: () => {},
    };
  }

  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#track(() => work(this.#reader));
  }

  write<T>(work: (session: TransactionSession) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return this.#track(() =>
      this.#retry(() => this.#runTransaction(work, options), options.noTimeout ? patientMsMax : conflictMsMax),
    );
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.allSettled(this.#running);
    await this.#pool.end();
  }

  /** Runs each statement on any free connection, without a transaction around them. */
  readonly #reader: Session = {
    query: async <R extends Row>(statement: Statement<R>, parameters: readonly Value[]) => {
      if (!isSelect(statement)) throw new Error(`${statement.name}: a reader does not write`);
      // PgBouncer may give each statement another connection of the server.
      const isShared = statement.isQuick === true && !this.#address.isPooled;
      const run = () =>
        isShared ? this.#runQuickStatement(statement, parameters) : this.#runStatement(statement, parameters);
      return (await this.#retry(run)).rows as readonly Row[] as readonly R[];
    },
    execute: async ({ name }) => {
      throw new Error(`${name}: a reader does not write`);
    },
  };

  async #runStatement(statement: Statement, parameters: readonly Value[]): Promise<QueryResult<Row>> {
    const connection = await this.#borrow();
    try {
      return await connection.run(statement, parameters);
    } finally {
      this.#giveBack(connection);
    }
  }

  async #runQuickStatement(statement: Statement, parameters: readonly Value[]): Promise<QueryResult<Row>> {
    this.#shared ??= { connection: this.#borrowNextTurn(), sharers: 0 };
    const shared = this.#shared;
    shared.sharers += 1;
    if (shared.sharers === sharersMax) this.#shared = undefined;
    const connection = await shared.connection;
    try {
      return await connection.run(statement, parameters);
    } finally {
      shared.sharers -= 1;
      if (shared.sharers === 0) this.#giveBack(connection);
    }
  }

  /** Later statements get another connection. */
  async #borrowNextTurn(): Promise<Connection> {
    await setImmediate();
    this.#shared = undefined;
    return await this.#borrow();
  }

  async #runTransaction<T>(work: (session: TransactionSession) => Promise<T>, options: TransactionOptions): Promise<T> {
    const connection = await this.#borrow();
    try {
      connection.begin(options);
      const transaction = new PostgresTransaction(connection);
      let outcome: AttemptResult<T>;
      try {
        outcome = { value: await work(transaction) };
      } catch (thrown) {
        outcome = { thrown };
      }
      await transaction.end();
      if (transaction.failure === undefined && 'value' in outcome) {
        await commit(connection, transaction);
        return outcome.value;
      }
      await connection.rollback();
      await transaction.answered();
      const { failure } = transaction;
      // After a conflict the work runs again, whatever it threw.
      const hasPriority = failure?.isFinal === true || failure?.thrown instanceof TransientFailure;
      throw hasPriority || !('thrown' in outcome) ? failure?.thrown : outcome.thrown;
    } finally {
      this.#giveBack(connection);
    }
  }

  #giveBack(connection: Connection): void {
    if (connection.isDistrusted) this.#hosts.distrust(connection.client);
    connection.release();
  }

  /** Throws `StoreUnavailable` where no connection becomes free in time, or no host accepts a new one. */
  async #borrow(): Promise<Connection> {
    let refused = 0;
    for (;;) {
      const host = this.#hosts.next;
      try {
        const client = await this.#take();
        if (this.#hosts.isCurrent(client)) return new Connection(client, this.#watch, this.#address);
        client.release(true);
      } catch (thrown) {
        if (thrown instanceof StoreUnavailable) throw thrown;
        this.#hosts.skip(host);
        refused += 1;
        if (refused >= this.#hosts.count) throw cannotConnect(publicAddress(this.#address), thrown);
      }
    }
  }

  /** Throws `StoreUnavailable` where no connection becomes free in time. */
  async #take(): Promise<PoolClient> {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    const borrowed = this.#pool.connect();
    const isFull = totalCount >= options.max && waitingCount >= idleCount;
    const begunAt = isFull ? performance.now() : 0;
    let timer: NodeJS.Timeout | undefined;
    const tooLate = () =>
      new Promise<typeof timedOut>((resolve) => {
        timer = setTimeout(resolve, poolMsMax, timedOut);
      });
    try {
      const client = await (isFull ? Promise.race([borrowed, tooLate()]) : borrowed);
      if (client !== timedOut) return client;
    } finally {
      if (isFull) this.connections.onWait((performance.now() - begunAt) / 1000);
      // Aborting a signal would cost as much as a tenth of a listing, by the error that it creates.
      clearTimeout(timer);
    }
    // The pool may still grant the connection: it goes straight back.
    borrowed.then(
      (client) => client.release(),
      () => {},
    );
    throw new StoreUnavailable(`the store cannot answer now: all ${options.max} connections are in use`);
  }

  #retry<T>(attempt: () => Promise<T>, timeoutMs = conflictMsMax): Promise<T> {
    let lost = 0;
    return retry(attempt, {
      shouldRetry: (last) => {
        if (!('thrown' in last && last.thrown instanceof TransientFailure)) return false;
        if (last.thrown.lost) lost += 1;
        return lost < lostMax;
      },
      backoff,
      timeoutMs,
    });
  }

  /** `close` waits for what runs here. */
  async #track<T>(begin: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreUnavailable('the store is closed');
    const running = begin();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }
}

/** The commit travels with the statements whose answers nothing has waited for. */
async function commit(connection: Connection, transaction: PostgresTransaction): Promise<void> {
  try {
    await connection.commit();
  } catch (thrown) {
    await transaction.answered();
    // After a failed statement PostgreSQL rolls back. A lost connection leaves the outcome unknown, whatever else was lost.
    throw thrown instanceof CommitUnknown ? thrown : (transaction.failure?.thrown ?? thrown);
  }
}
