/** The vault: seals each record under its own data key, wrapped by a key of the ring and bound to the record. */
import { randomBytes } from 'node:crypto';
import { monotonicClock } from '../lib/index.ts';
import { type DataKey, dataKeyBytes, unwrap, wrap } from './data-key.ts';
import { DataKeyCache, dataKeyCacheLimits } from './data-key-cache.ts';
import { aliasOf, fingerprintOf, tenantKeys } from './derive.ts';
import type { KeyRing } from './key-ring.ts';
import type { Sealed, SealScope, Vault } from './ports.ts';
import { binding, nonceBytes, openBytes, SealBroken, sealBytes } from './seal.ts';

/** The name of each part in the additional authenticated data. Stored ciphertexts are bound to the older name of `payload`. */
const boundNames = { number: 'number', payload: 'shown' } as const;

/** Creates the vault of a key ring. `createWrapping` moves records to another wrapping key. */
export function createVault(ring: KeyRing): Vault {
  const { index, otherIndex } = ring;
  const fingerprintKey = tenantKeys(index, 'fingerprint');
  const aliasKey = tenantKeys(index, 'alias');
  const indexKeys = otherIndex === undefined ? [index] : [index, otherIndex.key];
  const fingerprintKeys = indexKeys.map((key) => tenantKeys(key, 'fingerprint'));
  const aliasKeys = indexKeys.map((key) => tenantKeys(key, 'alias'));
  const dataKeys = new DataKeyCache(dataKeyCacheLimits, monotonicClock.now);
  return Object.freeze<Vault>({
    hasTwoIndexKeys: otherIndex !== undefined,
    seal: (scope, secrets) => seal(ring, scope, secrets),
    open: (scope, sealed, part) => open(ring, dataKeys, scope, sealed, part),
    fingerprint: (tenant, text) => fingerprintOf(fingerprintKey(tenant), text),
    alias: (tenant, number) => aliasOf(aliasKey(tenant), number),
    fingerprints: (tenant, text) => fingerprintKeys.map((keyOf) => fingerprintOf(keyOf(tenant), text)),
    aliases: (tenant, number) => aliasKeys.map((keyOf) => aliasOf(keyOf(tenant), number)),
  });
}

function seal(ring: KeyRing, scope: SealScope, { number, payload }: Parameters<Vault['seal']>[1]): Sealed {
  const sealedUnder = ring.current;
  const bound = (field: string) => binding(scope.tenant, scope.record, field, sealedUnder);
  const random = randomBytes(dataKeyBytes + 3 * nonceBytes);
  const key = random.subarray(0, dataKeyBytes);
  const nonce = (index: number) => random.subarray(dataKeyBytes + index * nonceBytes).subarray(0, nonceBytes);
  try {
    return Object.freeze<Sealed>({
      ...wrap(ring, scope, nonce(0), { key, sealedUnder }),
      number: number === undefined ? undefined : sealBytes(key, nonce(1), bound(boundNames.number), number),
      payload: payload === undefined ? undefined : sealBytes(key, nonce(2), bound(boundNames.payload), payload),
    });
  } finally {
    key.fill(0);
  }
}

function open(
  ring: KeyRing,
  dataKeys: DataKeyCache,
  scope: SealScope,
  sealed: Sealed,
  part: 'number' | 'payload',
): string {
  const text = sealed[part];
  if (text === undefined) throw new SealBroken(`the record has no sealed ${part}`);
  const cached = dataKeys.find(sealed);
  if (cached !== undefined) return openPart(cached, scope, part, text);
  const dataKey = unwrap(ring, scope, sealed);
  try {
    const opened = openPart(dataKey, scope, part, text);
    // Answers contain payloads again and again; a number is opened once in a while.
    if (part === 'payload') dataKeys.add(sealed, dataKey);
    return opened;
  } finally {
    dataKey.key.fill(0);
  }
}

function openPart({ key, sealedUnder }: DataKey, scope: SealScope, part: 'number' | 'payload', text: string): string {
  const clear = openBytes(key, binding(scope.tenant, scope.record, boundNames[part], sealedUnder), text);
  try {
    return clear.toString('utf8');
  } finally {
    clear.fill(0);
  }
}
