/** Wraps, unwraps and rewraps the data keys of records; rewrapping opens nothing that they seal. */
import { randomBytes } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';
import { type SealScope, VaultUnavailable, type WrappedKey, type Wrapping } from './ports.ts';
import { binding, nonceBytes, openBytes, sealBytes } from './seal.ts';

export const dataKeyBytes = 32;

export interface DataKey {
  /** The caller wipes it after use. */
  readonly key: Buffer;
  /** The id of the wrapping key at the time of sealing. The ciphertexts under the data key stay bound to it. */
  readonly sealedUnder: string;
}

/**
 * Wraps under the current key. A rewrapped data key carries the id that its ciphertexts are bound to. So these are not opened,
 * and changing the id in the store makes the record unreadable.
 */
export function wrap(ring: KeyRing, scope: SealScope, nonce: Buffer, { key, sealedUnder }: DataKey): WrappedKey {
  const keyId = ring.current;
  const clear = Buffer.concat([key, Buffer.from(sealedUnder === keyId ? '' : sealedUnder)]);
  try {
    return { keyId, dataKey: sealBytes(wrappingKey(ring, keyId), nonce, bound(scope, keyId), clear) };
  } finally {
    clear.fill(0);
  }
}

/** Throws `VaultUnavailable` where the wrapping key is not in the ring, and `SealBroken`. */
export function unwrap(ring: KeyRing, scope: SealScope, { keyId, dataKey }: WrappedKey): DataKey {
  const clear = openBytes(wrappingKey(ring, keyId), bound(scope, keyId), dataKey);
  const sealedUnder = clear.length === dataKeyBytes ? keyId : clear.toString('utf8', dataKeyBytes);
  return { key: clear.subarray(0, dataKeyBytes), sealedUnder };
}

export function createWrapping(ring: KeyRing): Wrapping {
  return Object.freeze<Wrapping>({
    current: ring.current,
    ids: Object.freeze([...ring.wrapping.keys()]),
    rewrap(scope, wrapped) {
      const dataKey = unwrap(ring, scope, wrapped);
      try {
        return wrap(ring, scope, randomBytes(nonceBytes), dataKey);
      } finally {
        dataKey.key.fill(0);
      }
    },
  });
}

function bound({ tenant, record }: SealScope, keyId: string): Buffer {
  return binding(tenant, record, 'dataKey', keyId);
}

function wrappingKey(ring: KeyRing, keyId: string) {
  const key = ring.wrapping.get(keyId);
  if (key === undefined)
    throw new VaultUnavailable(`no wrapping key has the id ${keyId}; add its line to the key file`);
  return key;
}
