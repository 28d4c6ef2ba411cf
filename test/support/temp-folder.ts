/** Temporary folders for tests, in memory where the machine has a file system for that. */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const inMemory = '/dev/shm';
/** Containers often have only 64 MB there, too little for PostgreSQL. */
const bytesFreeMin = 2 << 30;

const hasSpace = (path: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize >= bytesFreeMin;
  } catch {
    return false;
  }
};

const memory = hasSpace(inMemory) ? inMemory : tmpdir();

export interface TempFolderOptions {
  /** On disk, for tests of durability. */
  readonly onDisk?: boolean;
}

/** Creates a folder of the test's own and returns its path. */
export function createTempFolder({ onDisk = false }: TempFolderOptions = {}): string {
  return mkdtempSync(join(onDisk ? tmpdir() : memory, 'triglyph-test-'));
}

export interface TempFolder {
  readonly path: string;
  /** Removes the folder. */
  discard(): void;
}

export function tempFolder(options?: TempFolderOptions): TempFolder {
  const path = createTempFolder(options);
  return { path, discard: () => rmSync(path, { recursive: true, force: true }) };
}
