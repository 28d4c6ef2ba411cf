/** Authentication by an upstream: any credential is accepted here, and the upstream decides. */

import { createHmac, type KeyObject } from 'node:crypto';
import type { ForwardedCaller, UsernameToken } from '../core/contract/index.ts';
import type { WireRequest } from '../core/formats/index.ts';
import { type Authenticator, anonymous } from '../core/gateway/index.ts';
import { BoundedMap, basicHeader } from '../core/lib/index.ts';
import { deriveKey } from '../core/vault/index.ts';
import { unauthorized } from './authenticate.ts';

type Headers = WireRequest['headers'];

/** The texts in the cache are secrets, so it keeps none for longer. */
const createCache = () => new BoundedMap<string, ForwardedCaller>(1_000, { msMax: 1_000 });

/**
 * Accepts every credential, and requests without one. Idempotency-Keys belong to the credential that came with them: its keyed
 * hash stands for the caller, in logs too. `other`: the second index key, during a rotation.
 */
export function createForwardedAuthenticator(index: KeyObject, other?: KeyObject): Authenticator {
  const key = deriveKey(index, 'forwarded credential');
  const otherKey = other && deriveKey(other, 'forwarded credential');
  // A text of one header must not stand for the same text of the other one.
  const byAuthorization = createCache();
  const byApiKey = createCache();
  const callerOf = (presented: readonly (string | null)[]): ForwardedCaller => {
    // As JSON: the two could run into each other.
    const text = JSON.stringify(presented);
    const id = idOf(key, text);
    const otherTenant = otherKey && idOf(otherKey, text);
    return Object.freeze<ForwardedCaller>({
      credential: id,
      tenant: id,
      requiresKey: false,
      rights: 'upstream',
      otherTenant,
    });
  };
  const findByToken = (
    { username, password, isDigest, nonce, created }: UsernameToken,
    presented: readonly string[] = [],
  ): ForwardedCaller =>
    // A digest needs no password to be made up: it is the caller of its own message only.
    callerOf(
      isDigest || username.includes(':')
        ? ['token', username, password, nonce ?? null, created ?? null, ...presented]
        : [basicHeader(username, password), null, ...presented],
    );
  const find = ({ authorization, 'x-api-key': apiKey }: Headers): ForwardedCaller | undefined => {
    if (authorization !== undefined && apiKey !== undefined) return callerOf([authorization, apiKey]);
    if (authorization !== undefined)
      return byAuthorization.getOrCreate(authorization, () => callerOf([authorization, null]));
    return apiKey === undefined ? undefined : byApiKey.getOrCreate(apiKey, () => callerOf([null, apiKey]));
  };
  const findWith = (headers: Headers, presented: readonly string[] = []): ForwardedCaller | undefined => {
    if (presented.length === 0) return find(headers);
    return callerOf([headers.authorization ?? null, headers['x-api-key'] ?? null, ...presented]);
  };
  return Object.freeze<Authenticator>({
    authenticate: async ({ headers, presented }, token) =>
      token === undefined ? (findWith(headers, presented) ?? anonymous) : findByToken(token, presented),
    async requireCredential({ headers }) {
      const caller = find(headers);
      if (caller === undefined) throw unauthorized();
      return caller;
    },
  });
}

function idOf(key: KeyObject, presented: string): string {
  return createHmac('sha256', key).update(presented).digest('base64url').slice(0, idLength);
}

/** 132 bits: no two credentials have the same. */
const idLength = 22;
