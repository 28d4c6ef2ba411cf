/** What is promised about sending a request again: the key that a caller names it by, and the headers of the answer. */

/** Names a request: the same request with the same key has its effect once. */
export const keyHeader = 'Idempotency-Key';
/** Says that the answer is an earlier request's. */
export const replayedHeader = 'Idempotent-Replayed';
/** Says whether the same request with the same key may be sent again (wire practice). */
export const transientHeader = 'transient-error';

/** Characters of a key, wherever it is sent (wire practice). */
export const keyLengthMax = 64;
/** A key: printable ASCII without blanks, quotes and backslashes, at least one character. */
export const keyPattern = String.raw`[\x21\x23-\x5b\x5d-\x7e]+`;

/** A key in a message, as sent, and the name of its place. */
export interface SentKey {
  readonly text: string;
  readonly place: string;
  /** It is the MessageID of the message: many stacks make one for each, so a key in another place takes precedence. */
  readonly isMessageId?: true;
}

/** Whether a header, a query parameter or a SOAP header block has a name by which callers mean the key: `X-Idempotency-Key`, `idempotencyKey`. */
export function meansKey(name: string): boolean {
  return /idempoten(?:cy|ce|t)[-_]?(?:key|token|id)$/i.test(name);
}

/** How long a key is known: 31 days (wire practice). */
export const keyDaysMax = 31;
