/** Hashes the secrets of credentials for the database: salted, under a pepper that is stored outside of it. */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { StoredKind } from './credential-rules.ts';

/** Random bits of a generated secret: 192. */
const secretBytes = 24;
const saltBytes = 16;
/** 128 bits: enough to tell any number of keys apart. */
const lookupBytes = 16;

/** One key for each purpose, so that a lookup says nothing about a hash. */
export interface PepperKeys {
  /** Tells peppers apart, and says nothing about them. */
  readonly id: string;
  readonly hash: KeyObject;
  readonly lookup: KeyObject;
  readonly certificate: KeyObject;
}

interface SecretHash {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** A secret of a credential. */
export interface StoredSecret extends SecretHash {
  readonly id: string;
  readonly validUntil: number | null;
}

export function pepperKeys(pepper: KeyObject): PepperKeys {
  const derive = (purpose: string) => createSecretKey(Buffer.from(hkdfSync('sha256', pepper, '', purpose, 32)));
  return {
    id: createHmac('sha256', pepper).update('triglyph-1 pepper id').digest('hex').slice(0, 16),
    hash: derive('triglyph-1 credential hash'),
    lookup: derive('triglyph-1 credential lookup'),
    certificate: derive('triglyph-1 certificate lookup'),
  };
}

/** 32 characters, base64url. */
export function generateSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

export function hashSecret(keys: PepperKeys, secret: string): SecretHash {
  const salt = randomBytes(saltBytes);
  return { salt, hash: hashOf(keys, salt, secret) };
}

/** Takes as long for a wrong secret as for the right one. */
export function matches(keys: PepperKeys, stored: SecretHash, secret: string): boolean {
  return timingSafeEqual(hashOf(keys, stored.salt, secret), stored.hash);
}

/** What finds the secret. Null where a username finds it. */
export function lookupFor(kind: StoredKind, keys: PepperKeys, secret: string): string | null {
  switch (kind) {
    case 'basic':
      return null;
    case 'apiKey':
      return lookupOf(keys, secret);
    case 'certificate':
      return certificateLookupOf(keys, secret);
    default:
      return kind satisfies never;
  }
}

/** The lookup text of an API key, which comes without a username: 22 characters, base64url. */
export function lookupOf({ lookup }: PepperKeys, secret: string): string {
  return lookupUnder(lookup, secret);
}

/** A key of its own: fingerprints are no secrets, so none may be found as an API key. */
export function certificateLookupOf({ certificate }: PepperKeys, fingerprint: string): string {
  return lookupUnder(certificate, fingerprint);
}

function lookupUnder(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest().subarray(0, lookupBytes).toString('base64url');
}

function hashOf(keys: PepperKeys, salt: Buffer, secret: string): Buffer {
  // The salt has a fixed length, so salt and secret cannot run into one another.
  return createHmac('sha256', keys.hash).update(salt).update(secret).digest();
}
