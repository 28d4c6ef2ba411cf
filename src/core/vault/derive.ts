/** Derives keys, and computes fingerprints and aliases: HMACs that reveal only equality within a tenant. */

import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { BoundedMap } from '../lib/index.ts';

/** The number of derived keys in a cache. */
const keysMax = 1_000;

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const aliasDigits = 15;

/** A key derived from a master key for a purpose, and for a tenant where one is named (HKDF-SHA-256, RFC 5869). */
export function deriveKey(master: KeyObject, purpose: string, tenant = ''): KeyObject {
  return createSecretKey(
    Buffer.from(hkdfSync('sha256', master, '', JSON.stringify(['triglyph-1', purpose, tenant]), 32)),
  );
}

/** Returns a function that derives the key of a tenant for one purpose, and caches it. */
export function tenantKeys(master: KeyObject, purpose: string): (tenant: string) => KeyObject {
  const cache = new BoundedMap<string, KeyObject>(keysMax);
  return (tenant) => cache.getOrCreate(tenant, () => deriveKey(master, purpose, tenant));
}

/** 43 characters, base64url. */
export function fingerprintOf(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** One capital letter and 15 digits, such as `H167852639363479`. */
export function aliasOf(key: KeyObject, number: string): string {
  const digest = createHmac('sha256', key).update(number).digest();
  const digits = digest.readBigUInt64BE(0) % 10n ** BigInt(aliasDigits);
  return letters[digest.readUInt32BE(8) % letters.length] + digits.toString().padStart(aliasDigits, '0');
}
