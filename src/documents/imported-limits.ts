/** Limits of values of imported contracts, where their documents set none. */

/** Characters of a text. Answers of servers hold whole documents in one. */
export const textMax = 1_000_000;

/** Bytes. Large ones are in files while they are forwarded. */
export const bytesMax = 104_857_600;

/** Items of a list. */
export const itemsMax = 10_000;
