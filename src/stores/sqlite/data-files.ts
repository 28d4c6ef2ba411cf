/** Notices that the files of the database were deleted or replaced: what is committed to the open ones would be lost. */
import { type BigIntStats, statSync } from 'node:fs';
import { StoreUnavailable } from '../errors.ts';

/** How often reads check. Writes check at each commit. */
const readCheckMs = 100;
/** The database file, its write-ahead log and the index of the log. */
const suffixes = ['', '-wal', '-shm'] as const;

interface Identity {
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
}

export class DataFiles {
  readonly #identities: readonly Identity[];
  #nextReadCheck = 0;

  /** All files must exist. */
  constructor(databasePath: string) {
    this.#identities = suffixes.map((suffix) => {
      const path = `${databasePath}${suffix}`;
      const { dev, ino } = statSync(path, { bigint: true });
      return { path, device: dev, inode: ino };
    });
  }

  /** Throws `StoreUnavailable` where a file is no longer the one that was opened. */
  check(): void {
    for (const { path, device, inode } of this.#identities) {
      const found: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (found?.dev === device && found.ino === inode) continue;
      const what = found === undefined ? 'is gone' : 'is another file';
      throw new StoreUnavailable(
        `the store cannot answer now: ${path} ${what} since the server opened it: restart the server`,
      );
    }
  }

  /** Checks where the last check is a moment ago. */
  checkSometimes(): void {
    const now = performance.now();
    if (now < this.#nextReadCheck) return;
    this.check();
    this.#nextReadCheck = now + readCheckMs;
  }
}
