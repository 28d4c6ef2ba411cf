/** Puts a checked database file in the place of that of a data folder, and keeps the earlier one. */
import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checkIntegrity, syncFile } from './backup.ts';
import { databaseName } from './open.ts';
import { takeServingLock } from './serving-lock.ts';

interface RestoreSummary {
  /** The folder that holds the earlier database; undefined where there was none. */
  readonly earlier: string | undefined;
}

/**
 * `prepare` gets a folder with a copy of the backup, which it may migrate and must close; where it rejects, nothing changes.
 * Throws an Error while a process serves from the folder, and where the backup is damaged or is none.
 */
export async function restoreSqlite(
  dataDir: string,
  file: string,
  prepare: (stagedDir: string) => Promise<void>,
): Promise<RestoreSummary> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const release = takeServingLock(dataDir);
  const staged = join(dataDir, `restoring-${process.pid}`);
  try {
    mkdirSync(staged, { mode: 0o700 });
    const database = join(staged, databaseName);
    copyFileSync(file, database);
    chmodSync(database, 0o600);
    checkIntegrity(database, file);
    refuseOtherFile(database, file);
    await prepare(staged);
    // The last process that closes a database removes its log; what is in a log would be lost.
    if (existsSync(`${database}-wal`)) throw new Error(`another process has opened ${database}: try again`);
    syncFile(database);
    return { earlier: replaceDatabase(dataDir, database) };
  } finally {
    rmSync(staged, { recursive: true, force: true });
    release();
  }
}

/** An empty file is an intact database: a server would make a store without rows of it. */
function refuseOtherFile(database: string, file: string): void {
  const opened = new DatabaseSync(database, { readOnly: true });
  try {
    if (opened.prepare(`select 1 from sqlite_schema where type = 'table' and name = 'migration'`).get() !== undefined)
      return;
  } finally {
    opened.close();
  }
  throw new Error(`${file} is no backup of a store: it has none of its tables. Take another one`);
}

function replaceDatabase(dataDir: string, database: string): string | undefined {
  const target = join(dataDir, databaseName);
  const earlier = existsSync(target) ? keepEarlier(dataDir, target) : undefined;
  renameSync(database, target);
  syncFile(dataDir);
  return earlier;
}

/** A second name for the database, so that the folder has one at every moment: a server would create an empty one. */
function keepEarlier(dataDir: string, target: string): string {
  emptyLog(target);
  const earlier = join(dataDir, `before-restore-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`);
  mkdirSync(earlier, { mode: 0o700 });
  linkSync(target, join(earlier, databaseName));
  // A log of the earlier database would be read into the restored one.
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(target + suffix)) renameSync(target + suffix, join(earlier, databaseName + suffix));
  syncFile(earlier);
  return earlier;
}

/** Moves the log into the database. A damaged one, the reason for many a restore, is kept with its log. */
function emptyLog(target: string): void {
  try {
    const database = new DatabaseSync(target, { timeout: 5_000 });
    database.exec('pragma wal_checkpoint(truncate)');
    database.close();
  } catch {
    // Its files are kept as they are.
  }
}
