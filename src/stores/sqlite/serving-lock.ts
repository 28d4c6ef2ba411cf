/** The lock that lets only one process serve a data folder; the operating system releases it when the process dies. */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './failure.ts';

/** Returns the function that releases the lock. Throws an Error naming the holder when any process serves already. */
export function takeServingLock(dataDir: string): () => void {
  // A separate database: commands still need the first one while a server runs.
  const path = join(dataDir, 'serving.lock');
  const lock = new DatabaseSync(path, { timeout: 0 });
  chmodSync(path, 0o600);
  const holder = join(dataDir, 'serving.txt');
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (thrown) {
    lock.close();
    if (!isBusy(thrown)) throw thrown;
    throw new Error(`${readHolder(holder)} serves from ${dataDir} already: stop it, or name another folder`);
  }
  writeFileSync(holder, `process ${process.pid} on ${hostname()}, since ${new Date().toISOString()},`, { mode: 0o600 });
  return () => {
    rmSync(holder, { force: true });
    lock.close();
  };
}

/** For messages only: the lock is taken a moment before the text is written. */
function readHolder(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return 'another process';
  }
}
