/** Time and identifiers, as the rest of the program uses them. */

/** Tells the time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Generates identifiers. */
export interface IdGenerator {
  /** 16 characters of A-Z and 0-9, globally unique (specification, section 8). */
  requestReference(): string;
  /** As `requestReference`, for what a request creates. */
  reference(): string;
  /** Globally unique: the prefix, and 23 characters of A-Z and 0-9. */
  prefixedId(prefix: string): string;
  /** So many decimal digits, each equally likely. */
  randomDigits(length: number): string;
}
