/** Where programs run: the server on one core, the load on another, as far as the machine allows. */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Pinning keeps the load generator's work out of the server's caches. */
export const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).error === undefined;

export const serverCore = 0;
export const loadCore = 1;

/** The command, on a core of its own where that can be had. `taskset` becomes the program, so the process id stays. */
export const pinned = (
  core: number,
  program: string,
  parameters: readonly string[],
): readonly [string, readonly string[]] =>
  canPin ? ['taskset', ['-c', String(core), program, ...parameters]] : [program, parameters];
