/** The error of a part that requests need: a store, a vault. */

/** The part cannot answer now, or what it has cannot be used. Nothing was done, and the same request may succeed later. */
export class Unavailable extends Error {}
