/** Migrated databases for tests: the migrations run once for a file of tests, and each test gets a copy. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { openSqlite } from '../../src/stores/sqlite/open.ts';
import { migrate } from './migrated.ts';
import { type TempFolder, tempFolder } from './temp-folder.ts';

const fileName = 'triglyph.db';

/** Prepares one SQLite database and returns the bytes of its file. */
export async function createSqliteTemplate(prepare: (engine: Engine) => Promise<unknown> = migrate): Promise<Buffer> {
  const folder = tempFolder();
  const engine = openSqlite({ dataDir: folder.path, exclusive: true });
  await prepare(engine);
  // Closing moves the write-ahead log into the database file.
  await engine.close();
  const bytes = readFileSync(join(folder.path, fileName));
  folder.discard();
  return bytes;
}

export interface TestDatabase {
  readonly engine: Engine;
  close(): Promise<void>;
}

/** Opens a copy of the template in a folder of its own. */
export function openSqliteCopy(template: Buffer): TestDatabase {
  return openIn(tempFolder(), template);
}

/** Opens a SQLite database without tables. */
export function openEmptySqlite(): TestDatabase {
  return openIn(tempFolder());
}

function openIn(folder: TempFolder, template?: Buffer): TestDatabase {
  if (template !== undefined) writeFileSync(join(folder.path, fileName), template, { mode: 0o600 });
  const engine = openSqlite({ dataDir: folder.path, exclusive: true });
  return {
    engine,
    async close() {
      await engine.close();
      folder.discard();
    },
  };
}

let migrated: Promise<Buffer> | undefined;

/** Opens a SQLite database with all tables and no rows. */
export async function openMigratedSqlite(): Promise<TestDatabase> {
  migrated ??= createSqliteTemplate();
  return openSqliteCopy(await migrated);
}
