/** Computes HMACs of requests with an Idempotency-Key; a plain hash would reveal card numbers and keys. */
import type { KeyObject } from 'node:crypto';
import { deriveKey, fingerprintOf } from '../vault/derive.ts';
import { canonicalRequestText } from './canonical-request.ts';
import type { RequestHasher } from './ports.ts';

/** Creates the hasher of one environment. `other`: the second index key, during a rotation. */
export function createRequestHasher(index: KeyObject, environment: string, other?: KeyObject): RequestHasher {
  const recordKeyKey = deriveKey(index, 'idempotency scope');
  const requestHashKey = deriveKey(index, 'idempotency fingerprint');
  const upstreamKeyKey = deriveKey(index, 'idempotency upstream');
  return Object.freeze<RequestHasher>({
    other: other && createRequestHasher(other, environment),
    recordKey({ tenant, partition }, key) {
      // Neither has a slash in its name.
      const owner = partition === undefined ? tenant : `${tenant}/${partition}`;
      // As JSON: without separators, owner and key could run into each other.
      return fingerprintOf(recordKeyKey, JSON.stringify([environment, owner, key]));
    },
    upstreamKey: (recordKey) => fingerprintOf(upstreamKeyKey, recordKey),
    requestHash: (request) => fingerprintOf(requestHashKey, canonicalRequestText(request)),
  });
}
