/** Only one process serves from a data folder: a lock that the operating system drops when its holder dies. */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './failure.ts';

/** Only a hint: the text can be missing for the moment between taking the lock and writing it. */
const readHolder = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return 'another process';
  }
};

/** Throws a plain error naming the holder when another process, or this one, serves already. Gives what releases the lock. */
export const takeServingLock = (dataDir: string): (() => void) => {
  // A second database, since the first must stay open to commands beside the server.
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
};
