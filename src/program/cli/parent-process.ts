/** Ends the program when npm or its shell, which pass not every signal on, have ended, and at signals as the first process of a container. */
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

const checkEveryMs = 250;
const shells = /^(?:a|ba|da|k|z)?sh$/;

/**
 * Sends this process SIGTERM when npm, or the shell that it has started, has ended. `sh -c` of Debian ends at a signal and leaves
 * its command behind, and npm passes nothing on when it is killed with SIGKILL. Other parents may end: servers outlive terminals.
 */
export function endWithNpm(): void {
  // Workers watch the channel to their primary. A parent on Windows passes signals on by ending its children.
  if (process.env.npm_lifecycle_event === undefined || process.connected || process.platform === 'win32') return;
  const isLost = watchWrapper();
  const timer = setInterval(check, checkEveryMs).unref();
  check();
  function check(): void {
    if (!isLost()) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }
}

/** Returns a function that says whether the parent has ended, or the npm before a shell. */
function watchWrapper(): () => boolean {
  const parent = process.ppid;
  const own = readProcess(process.pid);
  const started = readProcess(parent);
  // A process begins in the group of its parent, so one of another group is not the first parent.
  const isOrphan = own !== undefined && own.group !== process.pid && started?.group !== own.group;
  const isBehindShell = started !== undefined && shells.test(started.name);
  return () => isOrphan || process.ppid !== parent || (isBehindShell && readProcess(parent)?.parent !== started.parent);
}

interface ProcessEntry {
  readonly name: string;
  readonly parent: number;
  readonly group: number;
}

/** Undefined where the process has ended, and where the system has no /proc. */
function readProcess(pid: number): ProcessEntry | undefined {
  try {
    const [, name = '', parent, group] =
      /\((.*)\) \S (\d+) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { name, parent: Number(parent), group: Number(group) };
  } catch {
    return undefined;
  }
}

/**
 * The kernel ignores a signal to the first process of a container as long as that has no listener. With these it ends as any other
 * process. Where a command listens itself, they do nothing.
 */
export function endAtSignalsAsFirstProcess(): void {
  if (process.pid !== 1) return;
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
}
