/** Makes an embedded store as small as its rows, and lets its file shrink from then on. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { translated } from './failure.ts';
import { incrementalVacuum } from './free-pages.ts';
import { autoVacuum, databaseName, durable, secureDelete } from './open.ts';
import { takeServingLock } from './serving-lock.ts';

/** How long it waits for another command that writes. */
const waitMsMax = 5_000;
/** More than the pages: headers in the log, and the pages that list which page refers to which. */
const marginPart = 0.02;
const marginBytesMin = 1_048_576;

/** Whether the store gives pages back by itself, in steps beside a server. One that an earlier release created does not. */
export function isIncremental(dataDir: string): boolean {
  const database = new DatabaseSync(join(dataDir, databaseName), { readOnly: true, timeout: waitMsMax });
  try {
    return numberOf(database, 'auto_vacuum') === incrementalVacuum;
  } finally {
    database.close();
  }
}

/** Returns the bytes of the database and its write-ahead log. */
export function sizeOf(dataDir: string): number {
  const path = join(dataDir, databaseName);
  return [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
}

/**
 * Writes the whole store anew in one transaction, after which it is incremental. A crash before its end leaves the store as it was.
 * Throws an Error while a process serves from the folder, and where the disk has too little space; `StoreUnavailable` where
 * another command writes for longer than five seconds. `freeBytes`: of the disk.
 */
export function rewriteStore(dataDir: string, freeBytes = freeBytesOf(dataDir)): void {
  const release = takeServingLock(dataDir);
  try {
    const database = new DatabaseSync(join(dataDir, databaseName), { timeout: waitMsMax });
    try {
      requireSpace(database, dataDir, freeBytes);
      // The setting is of the process. Elsewhere, the copy might fill another disk.
      database.exec(`pragma temp_store_directory = '${dataDir.replaceAll("'", "''")}'`);
      database.exec(`${durable}; ${secureDelete}; ${autoVacuum}; vacuum`);
    } finally {
      database.exec(`pragma temp_store_directory = ''`);
      database.close();
    }
  } catch (thrown) {
    throw translated(thrown);
  } finally {
    release();
  }
}

/** The rows are written to a copy, and from there to the write-ahead log. */
function requireSpace(database: DatabaseSync, dataDir: string, freeBytes: number): void {
  const pages = numberOf(database, 'page_count') - numberOf(database, 'freelist_count');
  const copiesBytes = 2 * pages * numberOf(database, 'page_size');
  const neededBytes = copiesBytes + Math.max(copiesBytes * marginPart, marginBytesMin);
  if (freeBytes >= neededBytes) return;
  throw new Error(
    `the disk of ${dataDir} has ${megabytes(freeBytes)} free, and a new copy of the store needs ${megabytes(neededBytes)} for a moment: free some, or move the store to a larger disk`,
  );
}

function freeBytesOf(dataDir: string): number {
  const { bavail, bsize } = statfsSync(dataDir);
  return bavail * bsize;
}

function numberOf(database: DatabaseSync, pragma: string): number {
  return Number(Object.values(database.prepare(`pragma ${pragma}`).get() ?? {})[0]);
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
