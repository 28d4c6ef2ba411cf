/** Describes the machine and the programs of a run. */
import { cpus, release } from 'node:os';
import { canPin } from './cores.ts';

/** `pinned`: which process is on which core, where pinning is possible. */
export const describeMachine = (pinned = 'server and load on a core each'): string => {
  const all = cpus();
  const pinning = canPin ? pinned : 'no pinning';
  return `Node ${process.versions.node}, Linux ${release().split('-')[0]}, ${all.length} cores (${all[0]?.model.trim()}), ${pinning}.`;
};
