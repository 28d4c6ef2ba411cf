/** Keyed texts that show equality and nothing else: fingerprints and aliases, each under its own key per company. */
import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** Derived keys kept at hand; the oldest goes when there are more. */
const keysMax = 1_000;

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const aliasDigits = 15;

/** A key derived from a master key for a purpose, and for a company where one is named (HKDF-SHA-256, RFC 5869). */
export const deriveKey = (master: KeyObject, purpose: string, company = ''): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', master, '', JSON.stringify(['triglyph-1', purpose, company]), 32)));

/** Keys of companies for one purpose, derived once and kept. */
export const companyKeys = (master: KeyObject, purpose: string): ((company: string) => KeyObject) => {
  const kept = new Map<string, KeyObject>();
  return (company) => {
    const known = kept.get(company);
    if (known !== undefined) return known;
    const key = deriveKey(master, purpose, company);
    kept.set(company, key);
    if (kept.size > keysMax) kept.delete(kept.keys().next().value!);
    return key;
  };
};

/** 43 characters, base64url. */
export const fingerprintOf = (key: KeyObject, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

/** One capital letter and 15 digits, such as `H167852639363479`. */
export const aliasOf = (key: KeyObject, number: string): string => {
  const digest = createHmac('sha256', key).update(number).digest();
  const digits = digest.readBigUInt64BE(0) % 10n ** BigInt(aliasDigits);
  return letters[digest.readUInt32BE(8) % letters.length] + digits.toString().padStart(aliasDigits, '0');
};
