/** The marks of requests with an Idempotency-Key: keyed, since a command may hold a card number and a key is a secret. */
import type { KeyObject } from 'node:crypto';
import { deriveKey, fingerprintOf } from '../vault/derive.ts';
import type { RequestHasher } from './ports.ts';

/** The marks of one environment; `mac` vouches for what a cache outside of the journal gives back. */
export const createRequestHasher = (
  index: KeyObject,
  environment: string,
): RequestHasher & { mac(text: string): string } => {
  const scopeKey = deriveKey(index, 'idempotency scope');
  const fingerprintKey = deriveKey(index, 'idempotency fingerprint');
  const macKey = deriveKey(index, 'idempotency cache');
  return Object.freeze({
    // As JSON, so that no company and key run into one another.
    recordKey: (company: string, key: string) => fingerprintOf(scopeKey, JSON.stringify([environment, company, key])),
    requestHash: (command: string) => fingerprintOf(fingerprintKey, command),
    mac: (text: string) => fingerprintOf(macKey, text),
  });
};
