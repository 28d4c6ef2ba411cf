/** A file system of a few kilobytes, which a test fills up. Only root may mount one. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export const mayMount = process.platform === 'linux' && process.getuid?.() === 0;

export interface SmallDisk {
  readonly path: string;
  /** Takes all free space. */
  fill(): void;
  /** Frees the space that `fill` took. */
  free(): void;
  /** Unmounts the file system, also while files on it are open. */
  discard(): void;
}

/** `path`: a folder that does not exist. */
export function mountSmallDisk(path: string, kilobytes: number): SmallDisk {
  mkdirSync(path, { mode: 0o700 });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=700`, 'tmpfs', path]);
  const filling = join(path, 'filling');
  return {
    path,
    fill() {
      const file = openSync(filling, 'a');
      const page = Buffer.alloc(4_096);
      try {
        for (;;) writeSync(file, page);
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filling, { force: true }),
    discard: () => execFileSync('umount', ['--lazy', path]),
  };
}
