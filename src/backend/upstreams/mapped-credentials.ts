/** The credentials that callers have at upstreams: seals them for the store, and opens them for requests. */

import { type UpstreamCredential, type UpstreamCredentialStore, upstreamCredentialScope } from '../../access/index.ts';
import { type Clock, cacheReads } from '../../core/lib/index.ts';
import type { Vault } from '../../core/vault/index.ts';
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
type FindMapped = (credentialId: string) => Promise<CredentialHeaders | undefined>;

/** Caches what it finds, and that it finds nothing, for a second. Requests at the same time share one query. */
export function createMappedCredentials({ store, vault, clock }: SealedCredentials, upstream: string): FindMapped {
  const read = async (credentialId: string): Promise<CredentialHeaders | undefined> => {
    const found = await store.find(upstream, credentialId);
    return found && headersOf(open(vault, found));
  };
  const cached = cacheReads(read, { clock, msMax: cacheMsMax, max: cachedMax, isSecret: true });
  return async (credentialId) => cached.find(credentialId);
}

function open(vault: Vault, { upstream, credentialId, sealed }: UpstreamCredential): PlainCredential {
  return JSON.parse(vault.open(upstreamCredentialScope(upstream, credentialId), sealed, 'payload'));
}
