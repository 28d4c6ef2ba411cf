/** A connection borrowed from the pool: runs prepared statements and transactions. */
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { CommitUnknown } from '../errors.ts';
import type { Row, Statement, TransactionOptions, Value } from '../sql/engine.ts';
import { isReadOnly, isRolledBack, isSilence, TransientFailure, translated } from './failure.ts';
import type { ServerWatch } from './server-watch.ts';

/** The longest wait for a lock of another transaction. */
export const lockMsMax = 2_000;
/** The longest time that the server works on a statement. */
export const statementMsMax = 3_000;
/** The longest wait for an answer. A live server has cancelled the statement by then. */
export const answerMsMax = statementMsMax + 1_000;
/** One day: in effect no limit. */
const noTimeoutMs = 24 * 60 * 60 * 1_000;

/** `now_ms()` for PostgreSQL. */
const now = '(extract(epoch from now()) * 1000)::bigint';

/** An option of the client that its types lack. */
interface Query extends QueryConfig {
  readonly query_timeout?: number;
}

/** The longest time that a transaction stays idle. A suspended process then releases its locks, and fails when it continues. */
export const idleInTransactionMsMax = 3_000;

/** The limits of each transaction behind PgBouncer, which does not pass on those of a session. */
const limitsOfTransaction = `; set local statement_timeout = ${statementMsMax}; set local lock_timeout = ${lockMsMax}; set local idle_in_transaction_session_timeout = ${idleInTransactionMsMax}`;

/** Bounded: statements are constants of the program. */
const texts = new WeakMap<Statement, string>();

export class Connection {
  readonly #client: PoolClient;
  readonly #isPooled: boolean;
  readonly #watch: ServerWatch;
  #isDistrusted = false;
  #noTimeout = false;
  #lost = false;
  #isCorked = false;

  /** `isPooled`: PgBouncer in transaction mode lies between. */
  constructor(client: PoolClient, watch: ServerWatch, { isPooled = false }: { readonly isPooled?: boolean } = {}) {
    this.#client = client;
    this.#watch = watch;
    this.#isPooled = isPooled;
  }

  get client(): PoolClient {
    return this.#client;
  }

  /** Whether the server has refused to write, or has not answered. */
  get isDistrusted(): boolean {
    return this.#isDistrusted;
  }

  async begin({ noTimeout = false, isolation = 'serializable' }: TransactionOptions): Promise<void> {
    this.#noTimeout = noTimeout;
    const unlimited = noTimeout ? '; set local statement_timeout = 0; set local lock_timeout = 0' : '';
    const level = isolation === 'serializable' ? 'serializable' : 'read committed';
    const limits = this.#isPooled ? limitsOfTransaction : '';
    await this.runText(`begin isolation level ${level}; set local synchronous_commit = on${limits}${unlimited}`);
  }

  /** Throws `CommitUnknown` where the answer of the server is lost. */
  async commit(): Promise<void> {
    let command: string;
    try {
      ({ command } = await this.#send({ text: 'commit' }));
    } catch (thrown) {
      if (isRolledBack(thrown)) throw translated(thrown);
      this.#lost = true;
      if (isSilence(thrown)) this.#isDistrusted = true;
      throw new CommitUnknown('the connection was lost during the commit', { cause: thrown });
    }
    // PostgreSQL rolls a failed transaction back on `commit` without an error.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed');
  }

  /** Never throws: a connection that cannot roll back is closed, and the server then rolls back. */
  async rollback(): Promise<void> {
    if (this.#lost) return;
    try {
      await this.runText('rollback');
    } catch {
      this.#lost = true;
    }
  }

  async run(statement: Statement, parameters: readonly Value[]): Promise<QueryResult<Row>> {
    const { waitMsMax } = statement;
    const query: Query = {
      // The next transaction may run on a connection of the server that has not prepared the statement.
      ...(!this.#isPooled && { name: statement.name }),
      text: textOf(statement),
      values: parameters as Value[],
      ...(this.#noTimeout && { query_timeout: noTimeoutMs }),
    };
    const isBounded = waitMsMax !== undefined;
    const answer = () =>
      this.#result(isBounded ? this.#withLockTimeout(query, waitMsMax) : this.#send(query), isBounded);
    return this.#noTimeout ? this.#watched(answer) : answer();
  }

  /** Runs a constant text without rows or parameters, such as `savepoint handler`. */
  async runText(text: string): Promise<void> {
    await this.#result(this.#send({ text }));
  }

  /** Returns the connection to the pool. Closes it where it is lost or still in a transaction. */
  release(): void {
    this.#client.release(this.#lost || this.#client.getTransactionStatus() !== 'I');
  }

  /** Statements that are sent together travel in one write: each write costs a system call here, and one at the server. */
  #send(query: Query): Promise<QueryResult<Row>> {
    if (!this.#isCorked) {
      const { stream } = this.#client.connection;
      stream.cork();
      this.#isCorked = true;
      process.nextTick(() => {
        this.#isCorked = false;
        stream.uncork();
      });
    }
    return this.#client.query<Row>(query);
  }

  /** The statement may take its time. The connection is closed when its server has stopped working on it. */
  async #watched<T>(run: () => Promise<T>): Promise<T> {
    const end = this.#watch.begin(this.#client, () => {
      this.#isDistrusted = true;
      this.#client.connection.stream.destroy();
    });
    try {
      return await run();
    } finally {
      end();
    }
  }

  /** Sends all three statements at once, so that the limit costs no round trip. */
  async #withLockTimeout(query: Query, waitMsMax: number): Promise<QueryResult<Row>> {
    const limit = (ms: number) => this.#send({ text: `set local lock_timeout = ${ms}` });
    const [, result] = await Promise.allSettled([
      limit(waitMsMax),
      this.#send(query),
      limit(this.#noTimeout ? 0 : lockMsMax),
    ]);
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }

  async #result<T>(answer: Promise<T>, bounded = false): Promise<T> {
    try {
      return await answer;
    } catch (thrown) {
      const failure = translated(thrown, { bounded });
      if (isReadOnly(thrown) || isSilence(thrown)) this.#isDistrusted = true;
      // The client creates its errors in the socket's handler: their own stack names no caller.
      if (failure === thrown && thrown instanceof Error) Error.captureStackTrace(thrown);
      if (failure instanceof TransientFailure && failure.lost) this.#lost = true;
      throw failure;
    }
  }
}

function textOf(statement: Statement): string {
  const known = texts.get(statement);
  if (known !== undefined) return known;
  const text = statement.text.replaceAll('now_ms()', now).replaceAll('skip_locked()', 'for update skip locked');
  texts.set(statement, text);
  return text;
}
