/** A connection borrowed from the pool: runs prepared statements and transactions. */
import type { PoolClient, QueryResult } from 'pg';
import { CommitUnknown } from '../errors.ts';
import type { Row, Statement, TransactionOptions, Value } from '../sql/engine.ts';
import { isReadOnly, isRolledBack, isSilence, TransientFailure, translated } from './failure.ts';
import { queryWithPrefix, type TimedConfig } from './prefixed-query.ts';
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

/** The longest time that a transaction stays idle. A suspended process then releases its locks, and fails when it continues. */
export const idleInTransactionMsMax = 3_000;

/** The limits of each transaction behind PgBouncer, which does not pass on those of a session. */
const limitsOfTransaction = [
  `set local statement_timeout = ${statementMsMax}`,
  `set local lock_timeout = ${lockMsMax}`,
  `set local idle_in_transaction_session_timeout = ${idleInTransactionMsMax}`,
];
const noLimits = ['set local statement_timeout = 0', 'set local lock_timeout = 0'];
const savepoint = 'savepoint handler';

/** Bounded: statements are constants of the program. */
const texts = new WeakMap<Statement, string>();

export class Connection {
  readonly #client: PoolClient;
  readonly #isPooled: boolean;
  readonly #watch: ServerWatch;
  #isDistrusted = false;
  #noTimeout = false;
  #lost = false;
  /** The connection may remember a statement that the server does not. */
  #isStale = false;
  /** Commands that travel with the next statement, in one message. After a `begin` that fails alone, the statement would commit alone. */
  #prefix: string[] = [];
  #hasBegun = true;

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

  /** Whether the first statement of the transaction was answered. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether the next statement runs in the transaction or not at all: its first one was answered, or a savepoint travels with the next one. */
  get isInTransaction(): boolean {
    return this.#hasBegun || this.#prefix.includes(savepoint);
  }

  /** The transaction begins with its first statement. */
  begin({ noTimeout = false, isolation = 'serializable' }: TransactionOptions): void {
    this.#noTimeout = noTimeout;
    this.#hasBegun = false;
    const level = isolation === 'serializable' ? 'serializable' : 'read committed';
    this.#prefix = [
      `begin isolation level ${level}`,
      'set local synchronous_commit = on',
      ...(this.#isPooled ? limitsOfTransaction : []),
      ...(noTimeout ? noLimits : []),
    ];
  }

  setSavepoint(): void {
    this.#prefix.push(savepoint);
  }

  releaseSavepoint(): void {
    if (!this.#removeSavepoint()) this.#prefix.push(`release ${savepoint}`);
  }

  /** Returns false where no statement was sent since the savepoint. */
  async rollBackToSavepoint(): Promise<boolean> {
    if (this.#removeSavepoint()) return false;
    await this.#result(this.#send({ text: `rollback to ${savepoint}; release ${savepoint}` }));
    return true;
  }

  /** Returns whether no statement was sent since the savepoint. */
  #removeSavepoint(): boolean {
    const at = this.#prefix.indexOf(savepoint);
    if (at >= 0) this.#prefix.splice(at, 1);
    return at >= 0;
  }

  /** Throws `CommitUnknown` where the answer of the server is lost. */
  async commit(): Promise<void> {
    if (!this.#hasBegun) return;
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
    if (this.#lost || !this.#hasBegun) return;
    try {
      await this.#result(this.#send({ text: 'rollback' }));
    } catch {
      this.#lost = true;
    }
  }

  async run(statement: Statement, parameters: readonly Value[]): Promise<QueryResult<Row>> {
    const { waitMsMax } = statement;
    const query: TimedConfig = {
      // The next transaction may run on a connection of the server that has not prepared the statement.
      ...(!this.#isPooled && { name: statement.name }),
      text: textOf(statement),
      values: parameters as Value[],
      ...(this.#noTimeout && { query_timeout: noTimeoutMs }),
    };
    const isBounded = waitMsMax !== undefined;
    if (isBounded) this.#prefix.push(setLockTimeout(waitMsMax));
    const answer = () => this.#result(this.#send(query, this.#prefix.splice(0)), isBounded);
    const answered = this.#noTimeout ? this.#watched(answer) : answer();
    if (isBounded) this.#prefix.push(setLockTimeout(this.#noTimeout ? 0 : lockMsMax));
    return answered;
  }

  /** Returns the connection to the pool. Closes it where it is lost or still in a transaction. */
  release(): void {
    this.#client.release(this.#lost || this.#isStale || this.#client.getTransactionStatus() !== 'I');
  }

  /**
   * Returns a function: what is sent until it is called, and what follows in the same turn of the event loop, travels in one write. Each write
   * costs a system call here, and one at the server.
   */
  hold(): () => void {
    const { stream } = this.#client.connection;
    stream.cork();
    return () => process.nextTick(() => stream.uncork());
  }

  #send(query: TimedConfig, prefix: readonly string[] = []): Promise<QueryResult<Row>> {
    const endTurn = this.hold();
    endTurn();
    return prefix.length === 0 ? this.#client.query<Row>(query) : this.#sendWithPrefix(query, prefix);
  }

  async #sendWithPrefix(query: TimedConfig, prefix: readonly string[]): Promise<QueryResult<Row>> {
    const { name } = query;
    const isNew = name !== undefined && this.#client.connection.parsedStatements[name] === undefined;
    try {
      return await queryWithPrefix(this.#client, prefix, query);
    } catch (thrown) {
      // The client took the answer to a command of the prefix for that to the statement.
      if (isNew) this.#isStale = true;
      throw thrown;
    } finally {
      // A statement that fails has begun the transaction all the same: it must be rolled back.
      this.#hasBegun = true;
    }
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

function setLockTimeout(ms: number): string {
  return `set local lock_timeout = ${ms}`;
}

function textOf(statement: Statement): string {
  const known = texts.get(statement);
  if (known !== undefined) return known;
  const text = statement.text
    .replaceAll('now_ms()', now)
    .replaceAll('skip_locked()', 'for update skip locked')
    .replaceAll('collate_bytes()', 'collate "C"');
  texts.set(statement, text);
  return text;
}
