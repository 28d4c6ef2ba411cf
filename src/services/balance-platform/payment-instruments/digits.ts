/** A source of random digits. */

/** Returns so many decimal digits, each equally likely. */
export type Digits = (count: number) => string;
