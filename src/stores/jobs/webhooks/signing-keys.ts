/** The keys of an endpoint as they are sealed: one, or two while receivers change from one to the other. */
import { randomBytes } from 'node:crypto';
import type { Vault } from '../../../core/vault/index.ts';
import type { Endpoint } from './ports.ts';

/** Each has 64 hexadecimal digits. */
export interface SigningKeys {
  readonly key: string;
  /** Follows it, during a rotation. */
  readonly nextKey?: string | undefined;
}

const keyBytes = 32;

export function createSigningKey(): string {
  return randomBytes(keyBytes).toString('hex');
}

/** The scope in which the keys of an endpoint are sealed. */
export function keyScope({ tenant, endpointId }: Pick<Endpoint, 'tenant' | 'endpointId'>) {
  return { tenant, record: `webhook ${endpointId}` };
}

/** Returns the keys that sign now. */
export function openKeys(vault: Vault, endpoint: Endpoint): SigningKeys {
  const [key = '', nextKey] = vault.open(keyScope(endpoint), endpoint.sealed, 'payload').split(' ');
  if (nextKey === undefined) return { key };
  return endpoint.rotation?.isOver === false ? { key, nextKey } : { key: nextKey };
}

/** The first key signs until the end of a rotation; a server that knows no rotation reads no other. */
export function sealKeys(vault: Vault, endpoint: Pick<Endpoint, 'tenant' | 'endpointId'>, keys: SigningKeys) {
  const { key, nextKey } = keys;
  return vault.seal(keyScope(endpoint), { payload: nextKey === undefined ? key : `${key} ${nextKey}` });
}
