/** Time and identifiers, as the rest of the program uses them. */

/** Tells the time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Returns a clock that measures spans by another one, and stands still while that one is set back. */
export function neverBack(clock: Clock): Clock {
  let last = clock.now();
  let time = last;
  return Object.freeze<Clock>({
    now() {
      const current = clock.now();
      time += Math.max(0, current - last);
      last = current;
      return time;
    },
  });
}

/** Generates identifiers. */
export interface IdGenerator {
  /** 16 characters of A-Z and 0-9, globally unique (specification, section 8). */
  requestReference(): string;
  /** As `requestReference`, for what a request creates. */
  reference(): string;
  /** Globally unique: the prefix, and 23 characters of A-Z and 0-9. */
  prefixedId(prefix: string): string;
  /** Returns `length` decimal digits, each equally likely. */
  randomDigits(length: number): string;
}
