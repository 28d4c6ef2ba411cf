/** The engine on PostgreSQL: serializable units on the connections of a pool, begun again where others were in the way. */
import { setTimeout } from 'node:timers/promises';
import type { Pool, QueryResult } from 'pg';
import { type AttemptResult, type Backoff, retry } from '../../lib/retry.ts';
import { StoreUnavailable } from '../errors.ts';
import type { Engine, Row, Session, Statement, TransactionOptions, TransactionSession, Value } from '../sql/engine.ts';
import { Connection } from './connection.ts';
import { cannotConnect, TransientFailure } from './failure.ts';
import { PostgresTransaction } from './transaction.ts';

/** How long a request waits for a connection that others have. */
const poolMsMax = 1_000;
/** How long a unit is begun again after conflicts; each time all others but one may have been in the way. */
const conflictMsMax = 4_000;
/** How many connections are tried that turn out to be gone: a restart leaves none, and a second try makes a new one. */
const lostMax = 3;
const backoff: Backoff = { firstMs: 2, maxMs: 100, jitter: 'full' };

/** The readers' own refusal, since an error of the server would come too late for a statement that gives rows. */
const isReading = ({ text }: Statement): boolean => /^\s*select\b/i.test(text);

const late = Symbol('late');

export class PostgresEngine implements Engine {
  readonly #pool: Pool;
  /** For messages: host, port and database. */
  readonly #place: string;
  readonly #begun = new Set<Promise<unknown>>();
  #closed = false;

  constructor(pool: Pool, place: string) {
    this.#pool = pool;
    this.#place = place;
  }

  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#counted(() => work(this.#reader));
  }

  write<T>(
    work: (session: TransactionSession) => Promise<T>,
    { noTimeout: patient = false }: TransactionOptions = {},
  ): Promise<T> {
    return this.#counted(() => this.#again(() => this.#unit(work, patient)));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.allSettled(this.#begun);
    await this.#pool.end();
  }

  /** Each statement on whichever connection is free: no transaction, so nothing is held between two. */
  readonly #reader: Session = {
    query: async <R extends Row>(statement: Statement<R>, parameters: readonly Value[]) => {
      if (!isReading(statement)) throw new Error(`${statement.name}: a reader does not write`);
      return (await this.#again(() => this.#once(statement, parameters))).rows as readonly Row[] as readonly R[];
    },
    execute: async ({ name }) => {
      throw new Error(`${name}: a reader does not write`);
    },
  };

  async #once(statement: Statement, parameters: readonly Value[]): Promise<QueryResult<Row>> {
    const connection = await this.#borrow();
    try {
      return await connection.run(statement, parameters);
    } finally {
      connection.release();
    }
  }

  async #unit<T>(work: (session: TransactionSession) => Promise<T>, patient: boolean): Promise<T> {
    const connection = await this.#borrow();
    try {
      await connection.begin({ patient });
      const transaction = new PostgresTransaction(connection);
      let outcome: AttemptResult<T>;
      try {
        outcome = { value: await work(transaction) };
      } catch (thrown) {
        outcome = { thrown };
      }
      await transaction.end();
      const { failure } = transaction;
      if (failure === undefined && 'value' in outcome) {
        await connection.commit();
        return outcome.value;
      }
      await connection.rollback();
      // After a conflict the work runs again, whatever it threw.
      throw failure?.thrown instanceof TransientFailure || !('thrown' in outcome) ? failure?.thrown : outcome.thrown;
    } finally {
      connection.release();
    }
  }

  /** Throws `StoreUnavailable` where none is free in time, or none can be made. */
  async #borrow(): Promise<Connection> {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    const lent = this.#pool.connect();
    const isFull = totalCount >= options.max && waitingCount >= idleCount;
    const waiting = new AbortController();
    try {
      const client = await (isFull
        ? Promise.race([lent, setTimeout(poolMsMax, late, { signal: waiting.signal })])
        : lent);
      if (client !== late) return new Connection(client);
    } catch (thrown) {
      throw cannotConnect(this.#place, thrown);
    } finally {
      waiting.abort();
    }
    // It comes yet, and is of no use any more.
    lent.then(
      (client) => client.release(),
      () => {},
    );
    throw new StoreUnavailable(`the store cannot answer now: all ${options.max} connections are in use`);
  }

  #again<T>(once: () => Promise<T>): Promise<T> {
    let lost = 0;
    return retry(once, {
      shouldRetry: (last) => {
        if (!('thrown' in last && last.thrown instanceof TransientFailure)) return false;
        if (last.thrown.lost) lost += 1;
        return lost < lostMax;
      },
      backoff,
      timeoutMs: conflictMsMax,
    });
  }

  async #counted<T>(begin: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreUnavailable('the store is closed');
    const begun = begin();
    this.#begun.add(begun);
    try {
      return await begun;
    } finally {
      this.#begun.delete(begun);
    }
  }
}
