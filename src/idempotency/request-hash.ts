/** Computes HMACs of requests with an Idempotency-Key; a plain hash would reveal card numbers and keys. */
import type { KeyObject } from 'node:crypto';
import { deriveKey, fingerprintOf } from '../vault/derive.ts';
import type { RequestHasher } from './ports.ts';

/** Creates the hasher of one environment. */
export function createRequestHasher(index: KeyObject, environment: string): RequestHasher {
  const recordKeyKey = deriveKey(index, 'idempotency scope');
  const requestHashKey = deriveKey(index, 'idempotency fingerprint');
  return Object.freeze({
    // As JSON: without separators, tenant and key could run into each other.
    recordKey: (tenant: string, key: string) => fingerprintOf(recordKeyKey, JSON.stringify([environment, tenant, key])),
    requestHash: (canonicalRequest: string) => fingerprintOf(requestHashKey, canonicalRequest),
  });
}
