/** Opens an embedded store in memory, for tests: its data ends with the process. */
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Row, Session, Statement, Value } from '../sql/engine.ts';
import { migrate } from '../sql/migrate.ts';
import { Connection } from './connection.ts';
import { SqliteEngine } from './engine.ts';

/** A store without tables. `now`: the clock of the database, in milliseconds since the epoch. */
export function openMemory(now: () => number): SqliteEngine {
  return createEngine(createDatabase(), now);
}

/** A store with the tables of the program. It loads their image, which takes less than a tenth of the migrations. */
export async function openMigratedMemory(now: () => number): Promise<SqliteEngine> {
  const database = createDatabase();
  // Node 24 cannot load images.
  if ('deserialize' in database) {
    image ??= existsSync(builtImage) ? readFileSync(builtImage) : await createImage();
    database.deserialize(image);
  }
  const engine = createEngine(database, now);
  await migrate(engine);
  return engine;
}

/** The same for all stores of the process. */
let image: Uint8Array | undefined;

/** The package has one, which its build has made. Its migrations are compared as those of any store. */
const builtImage = new URL('../empty-store.db', import.meta.url);

/** Returns the bytes of a store with all tables: the same at any time, for builds that can be repeated. */
export async function createImage(): Promise<Uint8Array> {
  const database = createDatabase();
  await migrate(createEngine(database, () => 0));
  database.exec('update migration set applied_at = 0; update migration_lock set taken_at = 0; vacuum');
  return database.serialize();
}

function createDatabase(): DatabaseSync {
  return new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
}

function createEngine(database: DatabaseSync, now: () => number): SqliteEngine {
  const writer = new Connection(database, now);
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
