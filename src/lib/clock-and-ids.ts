/** Time and identifiers, as the rest of the program uses them. */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface IdGenerator {
  /** 16 characters of A-Z and 0-9, globally unique (specification, section 8). */
  pspReference(): string;
  recurringDetailReference(): string;
  /** 25 characters, globally unique: the kind of the resource, and 23 of A-Z and 0-9. */
  resourceId(kind: 'AH' | 'BA' | 'PI'): string;
  /** So many decimal digits, each equally likely. */
  randomDigits(length: number): string;
}
