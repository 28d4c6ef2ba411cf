/** One connection of the pool for as long as it is lent out: statements kept prepared by their names, and transactions. */
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { CommitUnknown } from '../errors.ts';
import type { Row, Statement, Value } from '../sql/engine.ts';
import { isUndone, TransientFailure, translated } from './failure.ts';

/** How long another unit's lock is waited for. */
export const lockMsMax = 2_000;
/** How long the server works on a statement. */
export const statementMsMax = 3_000;
/** How long a connection is listened to: the server has then given up the statement itself, if it is there at all. */
export const answerMsMax = statementMsMax + 1_000;
/** As good as no limit. */
const patienceMs = 24 * 60 * 60 * 1_000;

/** The database's clock, as PostgreSQL says it. */
const now = '(extract(epoch from now()) * 1000)::bigint';

/** What the client takes beside what its types know. */
interface Query extends QueryConfig {
  readonly query_timeout?: number;
}

/** Statements are data of the program, so there are only as many as it has. */
const texts = new WeakMap<Statement, string>();

const textOf = (statement: Statement): string => {
  const known = texts.get(statement);
  if (known !== undefined) return known;
  const text = statement.text.replaceAll('now_ms()', now).replaceAll('skip_locked()', 'for update skip locked');
  texts.set(statement, text);
  return text;
};

export class Connection {
  readonly #client: PoolClient;
  #patient = false;
  #lost = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  /** `patient`: without the limits of time that requests have. */
  async begin({ patient }: { readonly patient: boolean }): Promise<void> {
    this.#patient = patient;
    const unlimited = patient ? '; set local statement_timeout = 0; set local lock_timeout = 0' : '';
    await this.say(`begin isolation level serializable; set local synchronous_commit = on${unlimited}`);
  }

  /** Throws `CommitUnknown` where nobody can say what became of it. */
  async commit(): Promise<void> {
    let command: string;
    try {
      ({ command } = await this.#client.query({ text: 'commit' }));
    } catch (thrown) {
      if (isUndone(thrown)) throw translated(thrown);
      this.#lost = true;
      throw new CommitUnknown('the connection was lost during the commit', { cause: thrown });
    }
    // A transaction that had failed is rolled back on `commit`, without an error.
    if (command !== 'COMMIT') throw new Error('the unit of work was undone: a statement in it had failed');
  }

  /** Never throws: a connection that cannot roll back is given up, which undoes as much. */
  async rollback(): Promise<void> {
    if (this.#lost) return;
    try {
      await this.say('rollback');
    } catch {
      this.#lost = true;
    }
  }

  async run(statement: Statement, parameters: readonly Value[]): Promise<QueryResult<Row>> {
    const { waitMsMax } = statement;
    const query: Query = {
      name: statement.name,
      text: textOf(statement),
      values: parameters as Value[],
      ...(this.#patient && { query_timeout: patienceMs }),
    };
    return waitMsMax === undefined
      ? this.#heard(this.#client.query<Row>(query))
      : this.#heard(this.#bounded(query, waitMsMax), true);
  }

  /** Statements without rows or parameters that are ours alone, such as `savepoint attempt`. */
  async say(text: string): Promise<void> {
    await this.#heard(this.#client.query(text));
  }

  /** Gives it back to the pool, or up, where it is lost or still within a transaction. */
  release(): void {
    this.#client.release(this.#lost || this.#client.getTransactionStatus() !== 'I');
  }

  /** All three go out at once, so that the limit costs no way to the server and back. */
  async #bounded(query: Query, waitMsMax: number): Promise<QueryResult<Row>> {
    const limit = (ms: number) => this.#client.query(`set local lock_timeout = ${ms}`);
    const [, result] = await Promise.allSettled([
      limit(waitMsMax),
      this.#client.query<Row>(query),
      limit(this.#patient ? 0 : lockMsMax),
    ]);
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }

  async #heard<T>(answer: Promise<T>, bounded = false): Promise<T> {
    try {
      return await answer;
    } catch (thrown) {
      const failure = translated(thrown, { bounded });
      // The client creates its errors in the socket's handler: their own stack names no caller.
      if (failure === thrown && thrown instanceof Error) Error.captureStackTrace(thrown);
      if (failure instanceof TransientFailure && failure.lost) this.#lost = true;
      throw failure;
    }
  }
}
