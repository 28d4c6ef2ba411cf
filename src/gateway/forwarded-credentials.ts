/** Authentication by an upstream: any credential is accepted here, and the upstream decides. */
import { createHmac, type KeyObject } from 'node:crypto';
import type { ForwardedCaller } from '../contract/canonical.ts';
import type { WireRequest } from '../formats/wire.ts';
import { deriveKey } from '../vault/derive.ts';
import { type Authenticator, unauthorized } from './authenticate.ts';

type Headers = WireRequest['headers'];

/** Every caller without a credential. The upstream sees no difference between them. */
const anonymous: ForwardedCaller = Object.freeze({
  credential: 'anonymous',
  tenant: 'anonymous',
  requiresKey: false,
  rights: 'upstream',
});

/** The texts in the cache are secrets, so it keeps none for longer. */
const cachedMsMax = 1_000;
const cachedMax = 1_000;

/**
 * Accepts every credential, and requests without one. Idempotency-Keys belong to the credential that came with them: its keyed
 * hash stands for the caller, in logs too.
 */
export function createForwardedAuthenticator(index: KeyObject): Authenticator {
  const key = deriveKey(index, 'forwarded credential');
  const cache = new Map<string, ForwardedCaller>();
  const callerOf = (presented: string): ForwardedCaller => {
    const known = cache.get(presented);
    if (known !== undefined) return known;
    const id = createHmac('sha256', key).update(presented).digest('base64url').slice(0, idLength);
    const caller = Object.freeze<ForwardedCaller>({
      credential: id,
      tenant: id,
      requiresKey: false,
      rights: 'upstream',
    });
    if (cache.size < cachedMax) {
      if (cache.size === 0) setTimeout(() => cache.clear(), cachedMsMax).unref();
      cache.set(presented, caller);
    }
    return caller;
  };
  const find = ({ authorization, 'x-api-key': apiKey }: Headers): ForwardedCaller | undefined =>
    authorization === undefined && apiKey === undefined
      ? undefined
      : // As JSON: the two could run into each other.
        callerOf(JSON.stringify([authorization ?? null, apiKey ?? null]));
  return Object.freeze<Authenticator>({
    authenticate: async ({ headers }) => find(headers) ?? anonymous,
    async requireCredential({ headers }) {
      const caller = find(headers);
      if (caller === undefined) throw unauthorized();
      return caller;
    },
  });
}

/** 132 bits: no two credentials have the same. */
const idLength = 22;
