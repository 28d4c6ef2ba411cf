/** The engine on SQLite: one writer whose units stand in a queue, and a connection for reading beside it. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { StoreUnavailable } from '../errors.ts';
import type { Engine, Row, Session, Statement, TransactionSession, Value } from '../sql/engine.ts';
import type { Connection } from './connection.ts';
import { isBusy, translated } from './failure.ts';

/** How long a unit waits for another process that writes. */
const waitMsMax = 5_000;

export interface Parts {
  readonly writer: Connection;
  readonly reader: Connection;
  /** Gives up what was held for serving. */
  readonly release: () => void;
}

/** Waits for another process beside the event loop: SQLite's own waiting would hold up every request. */
const begin = async (writer: Connection): Promise<void> => {
  const deadline = performance.now() + waitMsMax;
  for (;;) {
    try {
      return writer.run('begin immediate');
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= deadline) throw translated(thrown);
    }
    await setTimeout(1 + 4 * Math.random());
  }
};

/** The writer for as long as a unit lasts: a statement that nobody waited for must not slip into the next unit. */
class Unit implements TransactionSession {
  readonly #connection: Connection;
  #ended = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]> {
    return this.#ended
      ? Promise.reject(new Error('the unit of work is over'))
      : this.#connection.query(statement, parameters);
  }

  execute(statement: Statement, parameters: readonly Value[]): Promise<number> {
    return this.#ended
      ? Promise.reject(new Error('the unit of work is over'))
      : this.#connection.execute(statement, parameters);
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    this.#run('savepoint attempt');
    try {
      const result = await work();
      this.#run('release attempt');
      return result;
    } catch (thrown) {
      // Some failures, a full disk among them, have ended the whole unit already.
      if (this.#connection.inTransaction) this.#run('rollback to attempt; release attempt');
      throw thrown;
    }
  }

  #run(text: string): void {
    if (this.#ended) throw new Error('the unit of work is over');
    try {
      this.#connection.run(text);
    } catch (thrown) {
      throw translated(thrown);
    }
  }

  end(): void {
    this.#ended = true;
  }
}

export class SqliteEngine implements Engine {
  readonly #parts: Parts;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreUnavailable('the store is closed');
    return work(this.#parts.reader);
  }

  async write<T>(work: (session: TransactionSession) => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreUnavailable('the store is closed');
    const unit = this.#last.then(() => this.#unit(work));
    // A commit holds the thread until the disk has it; between two units, what arrived in the meantime gets its turn.
    this.#last = unit.then(
      () => setImmediate(),
      () => setImmediate(),
    );
    return unit;
  }

  /** Asked on the writer, whose own commits do not change it; the reader would take them for another's. */
  foreignCommits(): number {
    return this.#parts.writer.dataVersion();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#last;
    const { reader, writer, release } = this.#parts;
    reader.close();
    // Whatever another process keeps of the log, it brings into the file itself.
    writer.run('pragma wal_checkpoint(truncate)');
    writer.close();
    release();
  }

  async #unit<T>(work: (session: TransactionSession) => Promise<T>): Promise<T> {
    const { writer } = this.#parts;
    await begin(writer);
    const session = new Unit(writer);
    try {
      const result = await work(session);
      session.end();
      writer.run('commit');
      return result;
    } catch (thrown) {
      session.end();
      // Some failures, a full disk among them, have rolled back already.
      if (writer.inTransaction) writer.run('rollback');
      throw translated(thrown);
    }
  }
}
