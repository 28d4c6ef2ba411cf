/** Pins the server to one core and the load to another, where the machine allows it. */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Pinning keeps the load generator out of the server's caches. */
export const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).error === undefined;

export const serverCore = '0';
export const loadCore = '1';

/** The command on one or several cores (`2,3`), where possible. `taskset` becomes the program, so the process id stays. */
export const pinned = (
  cores: string,
  program: string,
  parameters: readonly string[],
): readonly [string, readonly string[]] =>
  canPin ? ['taskset', ['-c', cores, program, ...parameters]] : [program, parameters];
