/** Ends a program on a signal together with all processes below it, whatever process group they are in. */
import { execFileSync } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds in which a process ends itself and removes what it made, before it is killed. */
const graceMs = 10_000;
const pollMs = 50;

/** On SIGINT, SIGTERM and SIGHUP, ends every descendant of this process and then this process, with the status 128 plus the signal. */
export function endDescendantsOnSignals() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, async () => {
      await endAll(descendantsOf(process.pid));
      process.exit(128 + constants.signals[signal]);
    });
}

/** Returns process ids. `ps` itself, which has ended, may be among them. */
function descendantsOf(ancestor) {
  const parents = new Map(
    execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number)),
  );
  const isBelow = (pid) => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === ancestor || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

async function endAll(pids) {
  const endsAt = performance.now() + graceMs;
  let left = pids.filter((pid) => signalled(pid, 'SIGTERM'));
  while (left.length > 0 && performance.now() < endsAt) {
    await wait(pollMs);
    left = left.filter((pid) => signalled(pid, 0));
  }
  for (const pid of left) signalled(pid, 'SIGKILL');
}

/** Whether the process was there. */
function signalled(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
