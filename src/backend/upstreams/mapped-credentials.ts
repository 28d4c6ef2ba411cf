/** The credentials that callers have at upstreams: seals them for the store, and opens them for requests. */

import {
  type UpstreamCredential,
  type UpstreamCredentialStore,
  upstreamCredentialScope,
} from '../../callers/credentials/upstream-credentials.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock-and-ids.ts';
import type { Vault } from '../../vault/ports.ts';
import { type CredentialHeaders, headersOf, type PlainCredential } from './read-credentials.ts';

/** The longest time for which a removed credential is still sent, as for those of callers. */
const cacheMsMax = 1_000;
const cachedMax = 4_096;

export interface SealedCredentials {
  readonly store: UpstreamCredentialStore;
  readonly vault: Vault;
  readonly clock: Clock;
}

/** Saves a credential, or replaces it. Servers use it within a second. */
export function saveMappedCredential(
  { store, vault, clock }: SealedCredentials,
  upstream: string,
  credentialId: string,
  credential: PlainCredential,
): Promise<void> {
  const scope = upstreamCredentialScope(upstream, credentialId);
  const sealed = vault.seal(scope, { payload: JSON.stringify(credential) });
  return store.set({ upstream, credentialId, kind: credential.kind, sealed, createdAt: clock.now() });
}

/** Returns the headers for a caller's credential; undefined where no credential is mapped to it. */
export type FindMapped = (credentialId: string) => Promise<CredentialHeaders | undefined>;

interface CachedHeaders {
  readonly headers: CredentialHeaders | undefined;
  /** Milliseconds since the epoch. */
  readonly readAt: number;
}

/** Caches what it finds, and that it finds nothing, for a second. Requests at the same time share one query. */
export function createMappedCredentials({ store, vault, clock }: SealedCredentials, upstream: string): FindMapped {
  const cache = new BoundedMap<string, CachedHeaders>(cachedMax);
  const pending = new Map<string, Promise<CredentialHeaders | undefined>>();
  const read = async (credentialId: string): Promise<CredentialHeaders | undefined> => {
    const readAt = clock.now();
    const found = await store.find(upstream, credentialId);
    const headers = found && headersOf(open(vault, found));
    cache.set(credentialId, { headers, readAt });
    // It must not hold a secret in the clear for longer.
    setTimeout(() => cache.delete(credentialId), cacheMsMax).unref();
    return headers;
  };
  return async (credentialId) => {
    const known = cache.get(credentialId);
    const age = known === undefined ? -1 : clock.now() - known.readAt;
    if (known !== undefined && age >= 0 && age < cacheMsMax) return known.headers;
    const reading = pending.get(credentialId) ?? read(credentialId).finally(() => pending.delete(credentialId));
    pending.set(credentialId, reading);
    return reading;
  };
}

function open(vault: Vault, { upstream, credentialId, sealed }: UpstreamCredential): PlainCredential {
  return JSON.parse(vault.open(upstreamCredentialScope(upstream, credentialId), sealed, 'payload'));
}
