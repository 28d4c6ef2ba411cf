/** A copy of all rows in memory, and the way back to it: a test begins again without a new database. */
import type { Table } from '../table.ts';
import type { Connection } from './connection.ts';

/** Tables that refuse to lose rows keep them: the audit log. */
const userTables = `select name from sqlite_schema as each where type = 'table' and name not like 'sqlite_%'
  and not exists (select * from sqlite_schema where type = 'trigger' and tbl_name = each.name)`;

export class Snapshot {
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
