/** A source of random digits. */

/** Returns decimal digits, each equally likely. */
export type Digits = (count: number) => string;
