/** Prints and parses the values in Redis: a reservation, or that the store has a record. */

export type Entry =
  /** A request is in flight. */
  | { readonly kind: 'pending'; readonly token: string }
  /** The store had the record lately. */
  | { readonly kind: 'done' };

/** Longer values are no entries. */
export const entryBytesMax = 64;

/** It says nothing of the outcome, so that Redis can answer no request. */
export const done = 'D';

const pendingForm = /^P:([0-9a-f]{16})$/;

/** The whole record key is the hash tag, so that a cluster spreads the entries over its nodes. */
export function keyOf(recordKey: string): string {
  return `idem:v2:{${recordKey}}`;
}

/** `token`: 16 hexadecimal digits. */
export function printPending(token: string): string {
  return `P:${token}`;
}

/** Undefined for a text that is no entry. */
export function parseEntry(text: string): Entry | undefined {
  if (text === done) return { kind: 'done' };
  const [, token] = pendingForm.exec(text) ?? [];
  return token === undefined ? undefined : { kind: 'pending', token };
}
