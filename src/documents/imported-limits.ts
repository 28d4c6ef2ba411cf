/** Limits of values of imported contracts, where their documents set none. */

/** Characters of a text. Answers of servers hold whole documents in one. */
export const textMax = 1_000_000;

/** Items of a list. */
export const itemsMax = 10_000;
