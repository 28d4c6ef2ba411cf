/** The points at which a server process of a fault-injection run can interrupt itself, and the messages that ask for it. */
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';

/** In the order in which a writing request with a key passes them. */
export const points = [
  'before the reservation',
  'after the reservation',
  'before the effect',
  'after the effect',
  'before the commit',
  'after the commit',
  'before caching',
  'after caching',
] as const;

export type Point = (typeof points)[number];

/** Sent to a server process: it sends itself the signal when it next passes the point. */
export interface Interruption {
  readonly point: string;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
}

/** Sent to a server process that did not reach the point in time: it is to go on. */
export const noInterruption = Object.freeze({ point: undefined, signal: undefined });
export type NoInterruption = typeof noInterruption;

/** Printed by a server process right before it stops itself. */
export const stoppingLine = 'stopping\n';

/** The variable that makes a server process work without idempotency records. */
export const recordsVariable = 'FAULT_INJECTION_RECORDS';

/** In a server process: returns the function that it calls at each point. The process ends with the test that started it. */
export function listenForInterruptions<P extends string>(): (point: P) => void {
  let next: Interruption | NoInterruption = noInterruption;
  process.on('message', (interruption: Interruption | NoInterruption) => {
    next = interruption;
  });
  process.on('disconnect', () => process.exit());
  return (point) => {
    if (next.point !== point) return;
    const { signal } = next;
    next = noInterruption;
    if (signal === 'SIGSTOP') writeSync(1, stoppingLine);
    process.kill(process.pid, signal);
  };
}

/** In a server process: prints the address, and stops on SIGTERM. */
export function announce({ callers, stop }: { readonly callers: string; stop(): Promise<unknown> }): void {
  process.once('SIGTERM', async () => {
    await stop();
    process.exit();
  });
  // A killed process writes no compile cache.
  flushCompileCache();
  process.stdout.write(`ready: callers at ${callers}\n`);
}
