/** Computes HMACs of requests with an Idempotency-Key, since a plain hash would reveal card numbers and keys; and seals their outcomes. */
import { createHmac, type KeyObject } from 'node:crypto';
import { binding, deriveKey, fingerprintOf, nonceBytes, openBytes, SealBroken, sealBytes } from '../vault/index.ts';
import { canonicalRequestText } from './canonical-request.ts';
import type { RequestHasher, SealedPlace } from './ports.ts';

/** Creates the hasher of one environment. `other`: the second index key, during a rotation. `sealsAll`: see `RequestHasher`. */
export function createRequestHasher(
  index: KeyObject,
  environment: string,
  other?: KeyObject,
  { sealsAll = false }: Pick<RequestHasher, 'sealsAll'> = {},
): RequestHasher {
  const recordKeyKey = deriveKey(index, 'idempotency scope');
  const requestHashKey = deriveKey(index, 'idempotency fingerprint');
  const upstreamKeyKey = deriveKey(index, 'idempotency upstream');
  const outcomeKey = deriveKey(index, 'idempotency outcome');
  const outcomeNonceKey = deriveKey(index, 'idempotency outcome nonce');
  const otherHasher = other && createRequestHasher(other, environment);
  return Object.freeze<RequestHasher>({
    other: otherHasher,
    sealsAll,
    recordKey({ tenant, partition }, key) {
      // Neither has a slash in its name.
      const owner = partition === undefined ? tenant : `${tenant}/${partition}`;
      // As JSON: without separators, owner and key could run into each other.
      return fingerprintOf(recordKeyKey, JSON.stringify([environment, owner, key]));
    },
    upstreamKey: (recordKey) => fingerprintOf(upstreamKeyKey, recordKey),
    requestHash: (request) => fingerprintOf(requestHashKey, canonicalRequestText(request)),
    seal(text, place) {
      const bound = bindingOf(place);
      // It comes again with the same text and binding only: a nonce under two bindings would reveal the authentication key.
      const nonce = createHmac('sha256', outcomeNonceKey).update(bound).update(text).digest().subarray(0, nonceBytes);
      return sealBytes(outcomeKey, nonce, bound, text);
    },
    open(sealed, place) {
      try {
        return openBytes(outcomeKey, bindingOf(place), sealed).toString('utf8');
      } catch (thrown) {
        // A record is found under both index keys, and sealed under one.
        if (!(thrown instanceof SealBroken) || otherHasher === undefined) throw thrown;
        return otherHasher.open(sealed, place);
      }
    },
  });
}

/** A JSON array, so bindings end where their texts begin. The record key is a hash of environment, tenant and key. */
function bindingOf({ part, record, operation }: SealedPlace): Buffer {
  return binding(operation, record, `idempotency ${part}`, 'index');
}
