/** A group of transactions in one SQLite transaction: a savepoint each, one commit and one fsync for all. */
import { StoreUnavailable } from '../errors.ts';
import type { Row, Statement, TransactionSession, Value } from '../sql/engine.ts';
import type { Connection } from './connection.ts';
import { translated } from './failure.ts';

/** How a group ended. `unknown`: a crash decides whether it was committed. `cause`: the error of SQLite. */
export type GroupEnd =
  | { readonly kind: 'committed' }
  | { readonly kind: 'rolledBack'; readonly cause: unknown }
  | { readonly kind: 'unknown'; readonly cause: unknown };

export class Group {
  readonly #writer: Connection;
  readonly #end = Promise.withResolvers<GroupEnd>();
  #memberLeft = Promise.withResolvers<void>();
  #size = 0;
  #lost: { readonly member: number; readonly cause: unknown } | undefined;

  constructor(writer: Connection) {
    this.#writer = writer;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * The error after which no member can be committed. SQLite rolls the whole group back after some errors, such as a full
   * disk. It may also fail to roll a member back.
   */
  get lost(): { readonly cause: unknown } | undefined {
    return this.#lost;
  }

  /** Resolves when the commit is fsynced, or has failed. No member may be answered before: it may have seen the others. */
  get ended(): Promise<GroupEnd> {
    return this.#end.promise;
  }

  end(end: GroupEnd): void {
    this.#end.resolve(end);
  }

  /** Starts a member by its number, which calls `run`, and resolves when its work has ended. */
  async admit(start: (member: number) => void): Promise<void> {
    this.#memberLeft = Promise.withResolvers<void>();
    this.#size += 1;
    start(this.#size);
    await this.#memberLeft.promise;
  }

  /** Runs the work of the admitted member. What it wrote is rolled back where it throws; the other members keep theirs. */
  async run<T>(work: (session: TransactionSession) => Promise<T>): Promise<T> {
    const writer = this.#writer;
    const member = this.#size;
    const transaction = new GroupedTransaction(writer);
    try {
      writer.run('savepoint member');
      const result = await work(transaction);
      transaction.requireWritten();
      transaction.end();
      writer.run('release member');
      return result;
    } catch (thrown) {
      transaction.end();
      this.#rollBackMember(member, thrown);
      throw translated(thrown);
    } finally {
      this.#memberLeft.resolve();
    }
  }

  /** Whether this member's own error has rolled back the group. */
  lostBy(member: number): boolean {
    return this.#lost?.member === member;
  }

  #rollBackMember(member: number, thrown: unknown): void {
    try {
      if (this.#writer.inTransaction) {
        this.#writer.run('rollback to member');
        this.#writer.run('release member');
      } else this.#lost = { member, cause: thrown };
    } catch (cause) {
      this.#lost = { member, cause };
    }
  }
}

/** The writing connection during the work of one member: a statement that was not awaited must not run in the next one. */
class GroupedTransaction implements TransactionSession {
  readonly #connection: Connection;
  #ended = false;
  /** A statement that must write a row has written none. */
  #unwritten: Error | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]> {
    this.#checkOpen();
    return await this.#connection.query(statement, parameters);
  }

  async execute(statement: Statement, parameters: readonly Value[]): Promise<number> {
    this.#checkOpen();
    return await this.#connection.execute(statement, parameters);
  }

  async executeDeferred(statement: Statement, parameters: readonly Value[], unwritten?: () => Error): Promise<void> {
    const written = await this.execute(statement, parameters);
    if (written > 0 || unwritten === undefined) return;
    this.#unwritten = unwritten();
    throw this.#unwritten;
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    this.#run('savepoint handler');
    try {
      const result = await work();
      this.#run('release handler');
      return result;
    } catch (thrown) {
      // Some failures, such as a full disk, have ended the whole transaction already.
      if (this.#connection.inTransaction) {
        this.#run('rollback to handler');
        this.#run('release handler');
      }
      throw thrown;
    }
  }

  end(): void {
    this.#ended = true;
  }

  #run(text: string): void {
    this.#checkOpen();
    try {
      this.#connection.run(text);
    } catch (thrown) {
      throw translated(thrown);
    }
  }

  /** Throws what has failed the transaction. */
  requireWritten(): void {
    if (this.#unwritten !== undefined) throw this.#unwritten;
  }

  #checkOpen(): void {
    this.requireWritten();
    if (this.#ended) throw new Error('the transaction has ended');
    // Work may go on after an error that has rolled back everything: its next statement would commit by itself.
    if (!this.#connection.inTransaction) throw new StoreUnavailable('the transaction was rolled back');
  }
}
