/** The points at which a server process of a fault-injection run can interrupt itself, and the messages that ask for it. */

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
  readonly point: Point;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
}

/** Sent to a server process that did not reach the point in time: it is to go on. */
export const noInterruption = Object.freeze({ point: undefined, signal: undefined });
export type NoInterruption = typeof noInterruption;

/** Sent by a server process: its address. */
export interface Ready {
  readonly callers: string;
}

/** Printed by a server process right before it stops itself. */
export const stoppingLine = 'stopping\n';

/** The variable that makes a server process work without idempotency records. */
export const recordsVariable = 'FAULT_INJECTION_RECORDS';
