/** Process groups: all processes that a program has started, and those that they have. */
import { until } from './until.ts';

/** Whether a process of the group runs. `pid`: of a process that was started with `detached`. */
export function hasProcesses(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Kills what is left of the group. */
export async function endGroup(pid: number): Promise<void> {
  if (hasProcesses(pid)) process.kill(-pid, 'SIGKILL');
  await until('the end of the group', () => !hasProcesses(pid));
}
