/** Opens an embedded store in memory, for tests: its data ends with the process. */
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Row, Session, Statement, Value } from '../sql/engine.ts';
import { Connection } from './connection.ts';
import { SqliteEngine } from './engine.ts';

/** A store without tables. `now`: the clock of the database, in milliseconds since the epoch. */
export function openMemory(now: () => number): SqliteEngine {
  const writer = new Connection(new DatabaseSync(':memory:', { enableForeignKeyConstraints: true }), now);
  return new SqliteEngine({
    writer,
    reader: new CommittedReader(writer),
    files: { check: () => {}, checkSometimes: () => {} },
    lockMsMax: 0,
    release: () => {},
  });
}

/** Reads over the connection that writes, since a database in memory has no second one: waits for open transactions. */
class CommittedReader implements Session {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async query<R extends Row>(statement: Statement<R>, parameters: readonly Value[]): Promise<readonly R[]> {
    await this.#committed();
    return await this.#connection.query(statement, parameters);
  }

  async execute(statement: Statement, parameters: readonly Value[]): Promise<number> {
    await this.#committed();
    return await this.#connection.execute(statement, parameters);
  }

  /** The writing connection closes the database. */
  close(): void {}

  // The queue of transactions leaves a turn of the event loop between two groups, so this loop ends.
  async #committed(): Promise<void> {
    while (this.#connection.inTransaction) await setImmediate();
  }
}
