/** Describes the machine and the programs of a run, and pins the server to one core and the load to another. */
import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, release } from 'node:os';

/** `pinned`: which process is on which core, where pinning is possible. */
export const describeMachine = (pinned = 'server and load on a core each'): string => {
  const all = cpus();
  const pinning = canPin ? pinned : 'no pinning';
  return `Node ${process.versions.node}, Linux ${release().split('-')[0]}, ${all.length} cores (${all[0]?.model.trim()}), ${pinning}.`;
};

/** Pinning keeps the load generator out of the server's caches. */
const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).error === undefined;

export const serverCore = '0';
export const loadCore = '1';

/** The command on one or several cores (`2,3`), where possible. `taskset` becomes the program, so the process id stays. */
export const pinned = (
  cores: string,
  program: string,
  parameters: readonly string[],
): readonly [string, readonly string[]] =>
  canPin ? ['taskset', ['-c', cores, program, ...parameters]] : [program, parameters];
