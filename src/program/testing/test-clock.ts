/** A clock that a test sets and advances. */
import type { Clock } from '../../core/lib/index.ts';
import { checkMembers, checkNumber, InvalidMember } from './invalid-member.ts';

/** A span of time; the parts add up. */
export interface Span {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
  readonly ms?: number;
}

const spanMembers = ['days', 'hours', 'minutes', 'seconds', 'ms'] as const satisfies readonly (keyof Span)[];
/** The end of the year 9999: later ones have no date in the wire formats. */
const timeMax = 253_402_300_799_999;

/** The clock of a gateway inside a test. */
export class TestClock implements Clock {
  readonly #start: number | undefined;
  readonly #onChange: () => void;
  /** Undefined while the clock follows that of the machine. */
  #fixed: number | undefined;
  #offset = 0;

  /**
   * `start`: a date as `Date` accepts it, where the clock stands still. Without it the clock follows that of the machine.
   * @internal
   */
  constructor(start: string | number | Date | undefined, onChange: () => void) {
    this.#start = start === undefined ? undefined : parse(start);
    this.#fixed = this.#start;
    this.#onChange = onChange;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return (this.#fixed ?? Date.now()) + this.#offset;
  }

  /** Moves the clock on; background work that falls due starts. Throws TypeError for a span that cannot be. */
  advance(span: Span): void {
    checkMembers(span, spanMembers);
    for (const member of spanMembers) checkNumber(member, span[member], 0, Number.MAX_SAFE_INTEGER);
    const { days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 } = span;
    const offset = this.#offset + (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms;
    if ((this.#fixed ?? Date.now()) + offset > timeMax) throw new InvalidMember('advance', 'ends after the year 9999');
    this.#offset = offset;
    this.#onChange();
  }

  /** Stops the clock at this time. */
  set(time: string | number | Date): void {
    this.#fixed = parse(time);
    this.#offset = 0;
    this.#onChange();
  }

  /**
   * Returns to the start.
   * @internal
   */
  reset(): void {
    this.#fixed = this.#start;
    this.#offset = 0;
  }
}

function parse(time: string | number | Date): number {
  const ms = new Date(time).getTime();
  if (!(ms >= 0 && ms <= timeMax))
    throw new InvalidMember('set', `${String(time)} is no date: give one like 2026-01-01T00:00:00Z`);
  return ms;
}
