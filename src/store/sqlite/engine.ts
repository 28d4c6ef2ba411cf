/** The engine on SQLite: one writing connection whose transactions queue, and a second connection for reads. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { StoreUnavailable } from '../errors.ts';
import type { Engine, Row, Session, Statement, TransactionSession, Value } from '../sql/engine.ts';
import type { Connection } from './connection.ts';
import { isBusy, translated } from './failure.ts';

/** How long a transaction waits for another process that writes. */
const waitMsMax = 5_000;

export interface Parts {
  readonly writer: Connection;
  readonly reader: Connection;
  /** Releases the lock of the serving process. */
  readonly release: () => void;
}

export class SqliteEngine implements Engine {
  readonly #parts: Parts;
  /** Resolves when the last transaction in the queue has ended. */
  #queue: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreUnavailable('the store is closed');
    return await work(this.#parts.reader);
  }

  // Every promise on the way has one consumer, which awaits it: V8 then prints the callers of a failing statement.
  async write<T>(work: (session: TransactionSession) => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreUnavailable('the store is closed');
    const ahead = this.#queue;
    const ended = Promise.withResolvers<void>();
    this.#queue = ended.promise;
    await ahead;
    try {
      return await this.#runTransaction(work);
    } finally {
      // A commit blocks the thread until the disk has it. Other events run before the next transaction begins.
      setImmediate().then(ended.resolve);
    }
  }

  /** Asks the writing connection, whose own commits do not change the counter. */
  foreignCommits(): number {
    return this.#parts.writer.dataVersion();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#queue;
    const { reader, writer, release } = this.#parts;
    reader.close();
    // Another process moves what it still needs of the log itself.
    writer.run('pragma wal_checkpoint(truncate)');
    writer.close();
    release();
  }

  async #runTransaction<T>(work: (session: TransactionSession) => Promise<T>): Promise<T> {
    const { writer } = this.#parts;
    await begin(writer);
    const transaction = new SqliteTransaction(writer);
    try {
      const result = await work(transaction);
      transaction.end();
      writer.run('commit');
      return result;
    } catch (thrown) {
      transaction.end();
      // Some failures, such as a full disk, have rolled back already.
      if (writer.inTransaction) writer.run('rollback');
      throw translated(thrown);
    }
  }
}

/** The writing connection during one transaction: a statement that was not awaited must not run in the next one. */
class SqliteTransaction implements TransactionSession {
  readonly #connection: Connection;
  #ended = false;

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

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    this.#run('savepoint handler');
    try {
      const result = await work();
      this.#run('release handler');
      return result;
    } catch (thrown) {
      // Some failures, such as a full disk, have ended the whole transaction already.
      if (this.#connection.inTransaction) this.#run('rollback to handler; release handler');
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

  #checkOpen(): void {
    if (this.#ended) throw new Error('the transaction has ended');
  }
}

/** Waits for another process without blocking the event loop, as SQLite's own waiting would. */
async function begin(writer: Connection): Promise<void> {
  const deadline = performance.now() + waitMsMax;
  for (;;) {
    try {
      return writer.run('begin immediate');
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= deadline) throw translated(thrown);
    }
    await setTimeout(1 + 4 * Math.random());
  }
}
