/** Prints idempotency records for Redis, and parses them with a check of their MAC. */
import { timingSafeEqual } from 'node:crypto';
import type { StoredOutcome } from '../../idempotency/ports.ts';

/** A keyed hash: 22 or more characters of base64url, of which the first 22 (132 bits) are used. */
export type Mac = (text: string) => string;

export type Entry =
  /** A request is in flight. */
  | { readonly kind: 'pending'; readonly requestHash: string; readonly token: string }
  | { readonly kind: 'done'; readonly stored: StoredOutcome };

/** Longer records are not saved in Redis; the store has them. */
export const recordBytesMax = 16_384;

const macLength = 22;
const requestHashForm = /^[\w-]{43}$/;
const pendingForm = /^P:([\w-]{43}):([0-9a-f]{16})$/;
const doneForm = /^D:([\w-]{43}):([\w-]{22}):(.+)$/s;

/** The whole record key is the hash tag, so that a cluster spreads the records over its nodes. */
export function keyOf(recordKey: string): string {
  return `idem:v1:{${recordKey}}`;
}

/** `token`: 16 hexadecimal digits. */
export function printPending(requestHash: string, token: string): string {
  return `P:${requestHash}:${token}`;
}

/** Undefined where `parseRecord` would not return the same: too long, no requestHash, empty, or malformed Unicode. */
export function printDone(mac: Mac, key: string, stored: StoredOutcome): string | undefined {
  const { requestHash, outcome } = stored;
  if (!requestHashForm.test(requestHash) || outcome === '' || !outcome.isWellFormed()) return undefined;
  const text = `D:${requestHash}:${sign(mac, key, stored)}:${outcome}`;
  return Buffer.byteLength(text) > recordBytesMax ? undefined : text;
}

/** Undefined for a text that was not printed for this key. */
export function parseRecord(mac: Mac, key: string, text: string): Entry | undefined {
  if (Buffer.byteLength(text) > recordBytesMax) return undefined;
  const [, pendingHash, token] = pendingForm.exec(text) ?? [];
  if (pendingHash !== undefined && token !== undefined) return { kind: 'pending', requestHash: pendingHash, token };
  const [, requestHash, found, outcome] = doneForm.exec(text) ?? [];
  if (requestHash === undefined || found === undefined || outcome === undefined) return undefined;
  const stored = { requestHash, outcome };
  const expected = sign(mac, key, stored);
  const isValid = expected.length === found.length && timingSafeEqual(Buffer.from(expected), Buffer.from(found));
  return isValid ? { kind: 'done', stored } : undefined;
}

/** Covers the key, so that a record copied to another key is invalid. Key and requestHash have no line break. */
function sign(mac: Mac, key: string, { requestHash, outcome }: StoredOutcome): string {
  return mac(`${key}\n${requestHash}\n${outcome}`).slice(0, macLength);
}
