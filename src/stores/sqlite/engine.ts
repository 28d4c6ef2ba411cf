/** The engine on SQLite: one writing connection that commits transactions in groups, and a second connection for reads. */
import { setTimeout } from 'node:timers/promises';
import type { AttemptResult } from '../../core/lib/index.ts';
import { CommitUnknown, StoreUnavailable } from '../errors.ts';
import type { Engine, Session, ShrinkOptions, TransactionOptions, TransactionSession } from '../sql/engine.ts';
import type { Table } from '../table.ts';
import type { Connection } from './connection.ts';
import type { DataFiles } from './data-files.ts';
import { translated } from './failure.ts';
import { releaseFreePages } from './free-pages.ts';
import { GroupQueue } from './group-queue.ts';

export interface Parts {
  readonly writer: Connection;
  readonly reader: Session & Pick<Connection, 'close'>;
  readonly files: Pick<DataFiles, 'check' | 'checkSometimes'>;
  /** How long transactions wait for another process that writes: one deadline for all that wait. */
  readonly lockMsMax: number;
  /** Releases the lock of the serving process. */
  readonly release: () => void;
}

const scrubAttemptsMax = 50;
const scrubPauseMs = 100;

export class SqliteEngine implements Engine {
  readonly dialect = 'sqlite';
  readonly #parts: Parts;
  readonly #queue: GroupQueue;
  /** The failure after which nothing is written any more. */
  #failure: { readonly cause: unknown } | undefined;
  #closed = false;
  #snapshot: Snapshot | undefined;
  #restores = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { writer, files, lockMsMax } = parts;
    this.#queue = new GroupQueue({
      writer,
      lockMsMax,
      check: () => {
        if (this.#failure !== undefined)
          throw unavailable('an earlier commit failed: restart the server', this.#failure.cause);
        files.check();
      },
      // After a failed fsync the kernel may drop what it could not write, and the next fsync succeeds all the same.
      onUnknown: (cause) => {
        this.#failure = { cause };
      },
    });
  }

  async read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    this.#checkOpen();
    this.#parts.files.checkSometimes();
    return await work(this.#parts.reader);
  }

  // Every promise on the way has one consumer, which awaits it: V8 then prints the callers of a failing statement.
  async write<T>(
    work: (session: TransactionSession) => Promise<T>,
    { noTimeout = false, checkpoint = false }: TransactionOptions = {},
  ): Promise<T> {
    this.#checkOpen();
    // Work without a time limit would delay the answers of the others.
    for (let alone = noTimeout; ; alone = true) {
      const admission = await this.#queue.join({ alone });
      if ('refused' in admission) throw translated(admission.refused);
      const { group, member } = admission;
      let result: AttemptResult<T>;
      try {
        result = { value: await group.run(work) };
      } catch (thrown) {
        result = { thrown };
      }
      const end = await group.ended;
      switch (end.kind) {
        case 'committed':
          if ('thrown' in result) throw result.thrown;
          if (checkpoint) this.#checkpoint();
          return result.value;
        case 'rolledBack':
          if (group.lostBy(member) && 'thrown' in result) throw result.thrown;
          if (alone || group.size === 1) throw translated(end.cause);
          // Another member, or all together, failed: alone, this one cannot be harmed by others.
          continue;
        case 'unknown':
          if ('thrown' in result) throw unavailable('the commit failed', end.cause);
          throw new CommitUnknown('the commit failed, and a crash decides about its effect', { cause: end.cause });
        default:
          return end satisfies never;
      }
    }
  }

  /** Asks the writing connection, whose own commits do not change the counter. */
  foreignCommits(): number {
    return this.#parts.writer.dataVersion() + this.#restores;
  }

  /** The write-ahead log holds earlier pages until they are overwritten: moves it into the file, and cuts it off. */
  async scrub(): Promise<boolean> {
    const { writer } = this.#parts;
    for (let attempt = 1; attempt <= scrubAttemptsMax && !this.#closed; attempt += 1) {
      await this.#queue.idle();
      // Another transaction may have begun since. The first column says whether a reader was in the way.
      if (!writer.inTransaction && Number(writer.list('pragma wal_checkpoint(truncate)')[0]) === 0) return true;
      await setTimeout(scrubPauseMs);
    }
    return false;
  }

  /** Moving the log into the file cuts the released pages off. */
  async shrink(options: ShrinkOptions = {}): Promise<void> {
    if (await releaseFreePages(this, options)) await this.scrub();
  }

  /** Remembers all rows, so that `restore` brings them back; for tests. */
  async snapshot(): Promise<void> {
    await this.write(async () => {}, { noTimeout: true });
    const { writer } = this.#parts;
    this.#snapshot = new Snapshot(writer);
  }

  /**
   * Replaces all rows by those of the snapshot; rows that were added to the tables `added` stay. What caches hold of the store counts as
   * changed by another process.
   */
  async restore(added: readonly Table[] = []): Promise<void> {
    const snapshot = this.#snapshot;
    if (snapshot === undefined) throw new Error('there is no snapshot');
    await this.write(async () => snapshot.restore(added), { noTimeout: true });
    this.#restores += 1;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#queue.idle();
    const { reader, writer, release } = this.#parts;
    reader.close();
    try {
      // Another process moves what it still needs of the log itself.
      if (this.#failure === undefined) writer.run('pragma wal_checkpoint(truncate)');
    } finally {
      writer.close();
      release();
    }
  }

  /** A reader keeps the pages that it needs in the log. */
  #checkpoint(): void {
    const { writer } = this.#parts;
    if (writer.inTransaction) return;
    try {
      writer.run('pragma wal_checkpoint(passive)');
    } catch (thrown) {
      throw translated(thrown);
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw new StoreUnavailable('the store is closed');
  }
}

function unavailable(reason: string, cause: unknown): StoreUnavailable {
  return new StoreUnavailable(`the store cannot answer now: ${reason}`, { cause });
}

/** Tables that refuse to lose rows keep them: the audit log. */
const userTables = `select name from sqlite_schema as each where type = 'table' and name not like 'sqlite_%'
  and not exists (select * from sqlite_schema where type = 'trigger' and tbl_name = each.name)`;

class Snapshot {
  readonly #connection: Connection;
  readonly #tables: readonly string[];
  /** The count of changes when the tables last had the rows of the snapshot. */
  #changes: string;

  /** Copies all rows. No transaction may be open. */
  constructor(connection: Connection) {
    this.#connection = connection;
    if (!connection.list('select name from pragma_database_list').includes('snapshot'))
      connection.run(`attach ':memory:' as snapshot`);
    this.#tables = connection.list(userTables).map((name) => `"${name}"`);
    for (const table of this.#tables) {
      connection.run(`drop table if exists snapshot.${table}`);
      connection.run(`create table snapshot.${table} as select * from main.${table}`);
    }
    this.#changes = this.#countChanges();
  }

  /**
   * Within a transaction: brings the rows back. `added`: the tables whose later rows stay, save those that belong to a row of the snapshot, or
   * have its place in a unique index.
   */
  restore(added: readonly Table[]): void {
    // Most tests begin again after requests that have written nothing.
    if (this.#countChanges() === this.#changes) return;
    const keeping = new Map(added.map((table) => [`"${table.name}"`, table]));
    // Rows come back in the order of their tables; only the end of the transaction needs whole references.
    this.#connection.run('pragma defer_foreign_keys = on');
    for (const table of this.#tables) {
      const kept = keeping.get(table);
      this.#connection.run(`delete from main.${table}${kept === undefined ? '' : ` where ${isIn('snapshot', kept)}`}`);
      this.#connection.run(`insert or replace into main.${table} select * from snapshot.${table}`);
    }
    for (const table of added)
      if (table.references.length > 0)
        this.#connection.run(`delete from main.${table.name} where not (${isIn('main', table)})`);
    this.#changes = this.#countChanges();
  }

  /** How many rows the connection has changed so far. */
  #countChanges(): string {
    return this.#connection.list('select total_changes()').join();
  }
}

/** Whether a database has the row that this one belongs to, or else this one. */
function isIn(database: 'main' | 'snapshot', { name, key, references: [reference] }: Table): string {
  const { columns, table: parent } = reference ?? { columns: key, table: { name, key } };
  return `(${columns.join()}) in (select ${parent.key.join()} from ${database}.${parent.name})`;
}
