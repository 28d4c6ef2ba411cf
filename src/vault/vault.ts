/** Card data at rest: a data key for each record, wrapped by a key from outside the store, everything bound to its place. */
import { randomBytes } from 'node:crypto';
import { type SealedDetail, type SealScope, type Vault, VaultUnavailable } from '../domain/ports.ts';
import { aliasOf, companyKeys, fingerprintOf } from './derive.ts';
import type { KeyRing } from './key-ring.ts';
import { binding, nonceBytes, openBytes, SealBroken, sealBytes } from './seal.ts';

const dataKeyBytes = 32;

const wrappingKey = (ring: KeyRing, keyId: string) => {
  const key = ring.wrapping.get(keyId);
  if (key === undefined)
    throw new VaultUnavailable(`no wrapping key has the id ${keyId}; add its line to the key file`);
  return key;
};

const seal = (ring: KeyRing, scope: SealScope, secrets: Parameters<Vault['seal']>[1]): SealedDetail => {
  const keyId = ring.current;
  const bound = (field: string) => binding(scope.company, scope.recurringDetailReference, field, keyId);
  const random = randomBytes(dataKeyBytes + 3 * nonceBytes);
  const dataKey = random.subarray(0, dataKeyBytes);
  const nonce = (index: number) => random.subarray(dataKeyBytes + index * nonceBytes).subarray(0, nonceBytes);
  const { number, shown } = secrets;
  const sealed = Object.freeze<SealedDetail>({
    keyId,
    dataKey: sealBytes(wrappingKey(ring, keyId), nonce(0), bound('dataKey'), dataKey),
    number: number === undefined ? undefined : sealBytes(dataKey, nonce(1), bound('number'), number),
    shown: shown === undefined ? undefined : sealBytes(dataKey, nonce(2), bound('shown'), shown),
  });
  dataKey.fill(0);
  return sealed;
};

const open = (ring: KeyRing, scope: SealScope, sealed: SealedDetail, part: 'number' | 'shown'): string => {
  const { keyId } = sealed;
  const wrapping = wrappingKey(ring, keyId);
  const text = sealed[part];
  if (text === undefined) throw new SealBroken(`the record has no sealed ${part}`);
  const bound = (field: string) => binding(scope.company, scope.recurringDetailReference, field, keyId);
  const dataKey = openBytes(wrapping, bound('dataKey'), sealed.dataKey);
  const clear = openBytes(dataKey, bound(part), text);
  dataKey.fill(0);
  return clear.toString('utf8');
};

/** The vault over a ring of keys. Moving a record to another wrapping key is to open it and to seal it again. */
export const createVault = (ring: KeyRing): Vault => {
  const fingerprintKey = companyKeys(ring.index, 'fingerprint');
  const aliasKey = companyKeys(ring.index, 'alias');
  return Object.freeze<Vault>({
    seal: (scope, secrets) => seal(ring, scope, secrets),
    open: (scope, sealed, part) => open(ring, scope, sealed, part),
    fingerprint: (company, text) => fingerprintOf(fingerprintKey(company), text),
    alias: (company, number) => aliasOf(aliasKey(company), number),
  });
};
