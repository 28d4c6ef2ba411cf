/** What is promised about sending a request again: the key that a caller names it by, and the headers of the answer. */

/** Names a request: the same request with the same key has its effect once. */
export const keyHeader = 'Idempotency-Key';
/** Says that the answer is an earlier request's. */
export const replayedHeader = 'Idempotent-Replayed';
/** Says whether the same request with the same key may be sent again (wire practice). */
export const transientHeader = 'transient-error';

/** Characters of a key in the header (wire practice). */
export const keyLengthMax = 64;
/** A key: printable ASCII without blanks, quotes and backslashes, at least one character. */
export const keyPattern = String.raw`[\x21\x23-\x5b\x5d-\x7e]+`;

/** How long a key is known: 31 days (wire practice). */
export const keyDaysMax = 31;
