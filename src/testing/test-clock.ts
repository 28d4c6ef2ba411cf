/** A clock that a test sets and advances. */
import type { Clock } from '../lib/clock-and-ids.ts';

/** A span of time; the parts add up. */
export interface Span {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
  readonly ms?: number;
}

export class TestClock implements Clock {
  readonly #start: number | undefined;
  readonly #onChange: () => void;
  /** Undefined while the clock follows that of the machine. */
  #fixed: number | undefined;
  #offset = 0;

  /** `start`: a date as `Date` accepts it, where the clock stands still. Without it the clock follows that of the machine. */
  constructor(start: string | number | Date | undefined, onChange: () => void) {
    this.#start = start === undefined ? undefined : parse(start);
    this.#fixed = this.#start;
    this.#onChange = onChange;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return (this.#fixed ?? Date.now()) + this.#offset;
  }

  /** Moves the clock on; background work that falls due starts. */
  advance({ days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 }: Span): void {
    this.#offset += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms;
    this.#onChange();
  }

  /** Stops the clock at this time. */
  set(time: string | number | Date): void {
    this.#fixed = parse(time);
    this.#offset = 0;
    this.#onChange();
  }

  /** Returns to the start. */
  reset(): void {
    this.#fixed = this.#start;
    this.#offset = 0;
  }
}

function parse(time: string | number | Date): number {
  const ms = new Date(time).getTime();
  if (Number.isNaN(ms)) throw new TypeError(`${String(time)} is no date: give one like 2026-01-01T00:00:00Z`);
  return ms;
}
