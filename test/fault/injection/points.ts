/** Where a server process of a fault-injection run may be struck, and by what. */

/** In the order in which a writing request with a key passes them; the record is what the gate remembers. */
export const points = [
  'before the claim',
  'after the claim',
  'before the effect',
  'after the effect',
  'before the commit',
  'after the commit',
  'before the record',
  'after the record',
] as const;

export type Point = (typeof points)[number];

/** Told to a server process: at the next passing of the point it sends itself the signal. */
export interface Order {
  readonly point: Point;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
}

/** Told to a server process that was not at the point in time: it is to go on. */
export const nothing = Object.freeze({ point: undefined, signal: undefined });
export type Nothing = typeof nothing;

/** Told by a server process: where it answers. */
export interface Ready {
  readonly callers: string;
}

/** Printed by a server process right before it stops itself. */
export const stoppingLine = 'stopping\n';

/** The variable by which a server process is told to do without the journal. */
export const journalVariable = 'IDEMPOTENCY_RECORDS';
