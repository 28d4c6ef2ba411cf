/** An idempotency record as it lies in Redis: printed, and read back with distrust. */
import { timingSafeEqual } from 'node:crypto';
import type { StoredOutcome } from '../../idempotency/ports.ts';

/** A keyed hash: 22 or more characters of base64url, of which the first 22 (132 bits) are used. */
export type Mac = (text: string) => string;

export type Entry =
  /** Somebody is at it. */
  | { readonly kind: 'pending'; readonly fingerprint: string; readonly ticket: string }
  | { readonly kind: 'done'; readonly kept: StoredOutcome };

/** Longer records are not kept in Redis; the journal has them. */
export const recordBytesMax = 16_384;

const macLength = 22;
const fingerprintForm = /^[\w-]{43}$/;
const pendingForm = /^P:([\w-]{43}):([0-9a-f]{16})$/;
const doneForm = /^D:([\w-]{43}):([\w-]{22}):(.+)$/s;

/** The whole scope is the hash tag, so a record lies on one node and the records on all of them. */
export const keyOf = (scope: string): string => `idem:v1:{${scope}}`;

/** The key is part of it, so a record does not hold under another one. Neither key nor fingerprint has a line break. */
const sign = (mac: Mac, key: string, { requestHash: fingerprint, outcome }: StoredOutcome): string =>
  mac(`${key}\n${fingerprint}\n${outcome}`).slice(0, macLength);

/** `ticket`: 16 hexadecimal digits. */
export const printPending = (fingerprint: string, ticket: string): string => `P:${fingerprint}:${ticket}`;

/** Undefined for what would not be read back as it was given: too long, no fingerprint, empty, or no proper Unicode. */
export const printDone = (mac: Mac, key: string, kept: StoredOutcome): string | undefined => {
  const { requestHash: fingerprint, outcome } = kept;
  if (!fingerprintForm.test(fingerprint) || outcome === '' || !outcome.isWellFormed()) return undefined;
  const text = `D:${fingerprint}:${sign(mac, key, kept)}:${outcome}`;
  return Buffer.byteLength(text) > recordBytesMax ? undefined : text;
};

/** Undefined for everything that was not printed by us for this key. */
export const parseRecord = (mac: Mac, key: string, text: string): Entry | undefined => {
  if (Buffer.byteLength(text) > recordBytesMax) return undefined;
  const [, runner, ticket] = pendingForm.exec(text) ?? [];
  if (runner !== undefined && ticket !== undefined) return { kind: 'pending', fingerprint: runner, ticket };
  const [, fingerprint, shown, outcome] = doneForm.exec(text) ?? [];
  if (fingerprint === undefined || shown === undefined || outcome === undefined) return undefined;
  const kept = { requestHash: fingerprint, outcome };
  const own = sign(mac, key, kept);
  const genuine = own.length === shown.length && timingSafeEqual(Buffer.from(own), Buffer.from(shown));
  return genuine ? { kind: 'done', kept } : undefined;
};
