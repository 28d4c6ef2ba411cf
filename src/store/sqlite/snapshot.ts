/** A copy of all rows in memory, and the way back to it: a test begins again without a new database. */
import type { Connection } from './connection.ts';

/** Tables that refuse to lose rows keep them: the audit log. */
const userTables = `select name from sqlite_schema as each where type = 'table' and name not like 'sqlite_%'
  and not exists (select * from sqlite_schema where type = 'trigger' and tbl_name = each.name)`;

export class Snapshot {
  readonly #connection: Connection;
  readonly #tables: readonly string[];

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
  }

  /** Within a transaction: brings the rows back. */
  restore(): void {
    // Rows come back in the order of their tables; only the end of the transaction needs whole references.
    this.#connection.run('pragma defer_foreign_keys = on');
    for (const table of this.#tables) {
      this.#connection.run(`delete from main.${table}`);
      this.#connection.run(`insert into main.${table} select * from snapshot.${table}`);
    }
  }
}
