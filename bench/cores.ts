/** Pins the server to one core and the load to another, where the machine allows it. */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Pinning keeps the load generator out of the server's caches. */
export const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).error === undefined;

export const serverCore = 0;
export const loadCore = 1;

/** The command on a core of its own, where possible. `taskset` becomes the program, so the process id stays. */
export const pinned = (
  core: number,
  program: string,
  parameters: readonly string[],
): readonly [string, readonly string[]] =>
  canPin ? ['taskset', ['-c', String(core), program, ...parameters]] : [program, parameters];
