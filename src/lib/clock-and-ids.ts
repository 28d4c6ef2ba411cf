/** What the domain asks of the machine: the time, and references that nobody else has. */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface IdGenerator {
  /** 16 characters of A-Z and 0-9, globally unique (specification, section 8). */
  pspReference(): string;
  recurringDetailReference(): string;
  /** 25 characters: what kind of resource it is, and 23 of A-Z and 0-9; globally unique. */
  resourceId(kind: 'AH' | 'BA' | 'PI'): string;
  /** So many decimal digits, each as likely as any other. */
  randomDigits(length: number): string;
}
