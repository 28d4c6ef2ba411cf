/** The machine and the programs of a run, so that a table can be read later. */
import { cpus, release } from 'node:os';
import { canPin } from './cores.ts';

/** `pinned`: who is on which core, where cores can be given out. */
export const describeMachine = (pinned = 'server and load on a core each'): string => {
  const all = cpus();
  const pinning = canPin ? pinned : 'no pinning';
  return `Node ${process.versions.node}, Linux ${release().split('-')[0]}, ${all.length} cores (${all[0]?.model.trim()}), ${pinning}.`;
};
