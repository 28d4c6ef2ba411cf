/** Files and pipes that a server cannot write its log to. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { mayMount, mountSmallDisk } from './small-disk.ts';

export interface Unwritable {
  /** For the standard output of a child process. */
  readonly fd: number;
  discard(): void;
}

/** `folder`: for a mount point or a pipe. */
export type OpenUnwritable = (folder: string) => Unwritable;

const openPipe = (folder: string) => {
  const path = join(folder, `pipe-${Math.random()}`);
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, fd: openSync(path, constants.O_WRONLY) };
};

export const unwritable: Readonly<Record<string, OpenUnwritable>> = {
  'a full device': () => {
    const fd = openSync('/dev/full', 'w');
    return { fd, discard: () => closeSync(fd) };
  },
  ...(mayMount && {
    'a file on a full disk': (folder) => {
      const disk = mountSmallDisk(join(folder, `disk-${Math.random()}`), 64);
      const fd = openSync(join(disk.path, 'log'), 'a');
      disk.fill();
      return {
        fd,
        discard() {
          closeSync(fd);
          disk.discard();
        },
      };
    },
  }),
  'a pipe whose reader has gone': (folder) => {
    const { reader, fd } = openPipe(folder);
    closeSync(reader);
    return { fd, discard: () => closeSync(fd) };
  },
  'a pipe that is not read': (folder) => {
    const { reader, fd } = openPipe(folder);
    return {
      fd,
      discard() {
        closeSync(fd);
        closeSync(reader);
      },
    };
  },
};
