/** An idempotency record as it lies in Redis: printed, and read back with distrust. */
import { timingSafeEqual } from 'node:crypto';
import type { StoredOutcome } from '../../idempotency/ports.ts';

/** A keyed hash: 22 or more characters of base64url, of which the first 22 (132 bits) are used. */
export type Mac = (text: string) => string;

export type Entry =
  /** Somebody is at it. */
  | { readonly kind: 'pending'; readonly requestHash: string; readonly token: string }
  | { readonly kind: 'done'; readonly stored: StoredOutcome };

/** Longer records are not kept in Redis; the journal has them. */
export const recordBytesMax = 16_384;

const macLength = 22;
const requestHashForm = /^[\w-]{43}$/;
const pendingForm = /^P:([\w-]{43}):([0-9a-f]{16})$/;
const doneForm = /^D:([\w-]{43}):([\w-]{22}):(.+)$/s;

/** The whole recordKey is the hash tag, so a record lies on one node and the records on all of them. */
export const keyOf = (recordKey: string): string => `idem:v1:{${recordKey}}`;

/** The key is part of it, so a record does not hold under another one. Neither key nor requestHash has a line break. */
const sign = (mac: Mac, key: string, { requestHash, outcome }: StoredOutcome): string =>
  mac(`${key}\n${requestHash}\n${outcome}`).slice(0, macLength);

/** `token`: 16 hexadecimal digits. */
export const printPending = (requestHash: string, token: string): string => `P:${requestHash}:${token}`;

/** Undefined for what would not be read back as it was given: too long, no requestHash, empty, or no proper Unicode. */
export const printDone = (mac: Mac, key: string, stored: StoredOutcome): string | undefined => {
  const { requestHash, outcome } = stored;
  if (!requestHashForm.test(requestHash) || outcome === '' || !outcome.isWellFormed()) return undefined;
  const text = `D:${requestHash}:${sign(mac, key, stored)}:${outcome}`;
  return Buffer.byteLength(text) > recordBytesMax ? undefined : text;
};

/** Undefined for everything that was not printed by us for this key. */
export const parseRecord = (mac: Mac, key: string, text: string): Entry | undefined => {
  if (Buffer.byteLength(text) > recordBytesMax) return undefined;
  const [, runner, token] = pendingForm.exec(text) ?? [];
  if (runner !== undefined && token !== undefined) return { kind: 'pending', requestHash: runner, token };
  const [, requestHash, shown, outcome] = doneForm.exec(text) ?? [];
  if (requestHash === undefined || shown === undefined || outcome === undefined) return undefined;
  const stored = { requestHash, outcome };
  const own = sign(mac, key, stored);
  const genuine = own.length === shown.length && timingSafeEqual(Buffer.from(own), Buffer.from(shown));
  return genuine ? { kind: 'done', stored } : undefined;
};
