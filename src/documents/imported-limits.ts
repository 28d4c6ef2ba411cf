/** Limits of values of imported contracts, where their documents set none. */

/** Characters of a text. Answers of servers hold whole documents in one. */
export const textMax = 1_000_000;

/** Bytes of an OpenAPI document. */
export const bytesMax = 67_108_864;

/** Items of a list. */
export const itemsMax = 10_000;
