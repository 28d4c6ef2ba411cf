/** Copies the embedded store to one file while servers run, and checks the copy. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { databaseName } from './open.ts';

/** 4 MiB at the page size of the store. */
const pagesPerStep = 1_024;

export interface BackupSummary {
  readonly bytes: number;
}

/**
 * Writes the rows as of the start of the copy. Throws an Error where the file exists, where its folder or the store is missing,
 * and where the copy is damaged; no file is left then.
 */
export async function backUpSqlite(
  dataDir: string,
  file: string,
  onProgress: (pagesDone: number, pages: number) => void = () => {},
): Promise<BackupSummary> {
  refuseExisting(file);
  if (!existsSync(dirname(file)))
    throw new Error(`${dirname(file)}: there is no such folder: create it, or name another file`);
  const partial = `${file}.partial-${process.pid}`;
  // Created with mode 0600, not by the umask of the process.
  closeSync(openSync(partial, 'wx', 0o600));
  try {
    await copyPages(dataDir, partial, onProgress);
    makeSingleFile(partial);
    checkIntegrity(partial);
    syncFile(partial);
    refuseExisting(file);
    renameSync(partial, file);
  } catch (thrown) {
    rmSync(partial, { force: true });
    throw thrown;
  }
  syncFile(dirname(file));
  return { bytes: statSync(file).size };
}

/** Throws an Error where SQLite finds the file damaged. `name`: what the message calls it. */
export function checkIntegrity(file: string, name = file): void {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const found = database.prepare('pragma integrity_check(1)').get() as { readonly integrity_check: string };
    if (found.integrity_check !== 'ok') throw new Error(`the database is damaged: ${found.integrity_check}`);
    const reference = database.prepare('pragma foreign_key_check').get();
    if (reference !== undefined) throw new Error(`the database is damaged: a row of ${reference.table} refers to none`);
  } catch (thrown) {
    throw new Error(`${name} is no intact backup: take another one`, { cause: thrown });
  } finally {
    database.close();
  }
}

/** Flushes a file or a folder to the disk. */
export function syncFile(path: string): void {
  // Windows cannot open a folder, and does not need it.
  if (process.platform === 'win32' && statSync(path).isDirectory()) return;
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

async function copyPages(
  dataDir: string,
  partial: string,
  onProgress: (pagesDone: number, pages: number) => void,
): Promise<void> {
  const source = new DatabaseSync(join(dataDir, databaseName), { readOnly: true, timeout: 5_000 });
  try {
    // Without a transaction of its own, the copy would begin again after each commit of a server.
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    let stepStartedAt = performance.now();
    await backup(source, partial, {
      rate: pagesPerStep,
      progress({ totalPages, remainingPages }) {
        onProgress(totalPages - remainingPages, totalPages);
        // Leaves the disk to the server for as long as the step took.
        pause(performance.now() - stepStartedAt);
        stepStartedAt = performance.now();
      },
    });
  } finally {
    source.close();
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.min(ms, 1_000));
}

/** A database with a write-ahead log is up to three files; a server turns the log on again. */
function makeSingleFile(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = delete');
  database.close();
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new Error(`${file} exists already: name another file`);
}
