/** Credentials in messages: a UsernameToken of WS-Security, for callers that cannot set a header of HTTP. */

import { type MessageSecurity, Problem, type UsernameToken } from '../core/contract/index.ts';
import { securityProblem } from '../core/formats/index.ts';
import type { Authenticator, MessageAuthenticator } from '../core/gateway/index.ts';
import { atMost, BoundedMap, type Clock } from '../core/lib/index.ts';
import type { SharedCounts } from './limits/shared-counts.ts';

/** How old a message may be, and how far the clock of its sender may be ahead. WSS4J has the same values. */
const ageMsMax = 300_000;
const aheadMsMax = 60_000;
const nonceMs = ageMsMax + aheadMsMax;
/** Of this process. Those of 300 requests a second are remembered for their whole time. */
const noncesMax = 100_000;
/** Requests wait no longer for a count beyond this process. */
const sharedMsMax = 250;

interface MessageAuthenticatorParts {
  readonly clock: Clock;
  /** A keyed hash. */
  readonly hash: (text: string) => string;
  /** Counts the uses of a nonce beyond this process. Resolves with undefined where that is not possible now. */
  readonly countShared: SharedCounts['add'];
}

/** `authenticator`: knows the credentials. */
export function createMessageAuthenticator(
  authenticator: Authenticator,
  { clock, hash, countShared }: MessageAuthenticatorParts,
): MessageAuthenticator {
  const nonces = new BoundedMap<string, true>(noncesMax);
  const rule = { name: 'tokenNonce', max: 1, windowMs: nonceMs } as const;

  /** A nonce counts once its password is right: others cannot use it up. */
  async function useNonce({ username, nonce }: UsernameToken): Promise<void> {
    if (nonce === undefined) return;
    // Base64 has several texts for the same bytes.
    const subject = hash(JSON.stringify([username, Buffer.from(nonce, 'base64').toString('hex') || nonce]));
    const isKnown = nonces.has(subject);
    nonces.set(subject, true);
    const shared = isKnown ? undefined : await atMost(sharedMsMax, countShared({ rule, subject }));
    if (isKnown || (shared?.count ?? 0) > 1)
      throw securityProblem('FailedAuthentication', 'its nonce was used before', { reason: 'replayed' });
  }

  return Object.freeze<MessageAuthenticator>({
    awaitsMessage: ({ headers }, { hasCredentialInBody }) =>
      hasCredentialInBody && headers.authorization === undefined && headers['x-api-key'] === undefined,
    async authenticate(request, security) {
      if (security !== undefined) requireFresh(security, clock.now());
      const caller = await authenticator.authenticate(request, security?.token);
      if (security?.token !== undefined) await useNonce(security.token);
      return caller;
    },
    check(security) {
      if (security === undefined) return;
      if (security.token !== undefined)
        throw new Problem('badRequest', 'Bad request: credentials both in the headers of HTTP and in the message');
      requireFresh(security, clock.now());
    },
  });
}

/** Throws for a message whose Timestamp, or whose token, is too old, from the future, or no time. */
function requireFresh({ token, created, expires }: MessageSecurity, now: number): void {
  for (const text of [created, token?.created]) {
    if (text === undefined) continue;
    const at = timeOf(text);
    if (at > now + aheadMsMax) throw securityProblem('InvalidSecurity', 'it was created in the future');
    if (at < now - ageMsMax) throw securityProblem('MessageExpired');
  }
  if (expires !== undefined && timeOf(expires) <= now) throw securityProblem('MessageExpired');
}

/** A time without a zone is in UTC (WS-Security, section 10). */
function timeOf(text: string): number {
  const [, time, zone = 'Z'] = /^\s*(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?\s*$/.exec(text) ?? [];
  const at = time === undefined ? Number.NaN : Date.parse(`${time}${zone}`);
  if (Number.isNaN(at)) throw securityProblem('InvalidSecurity', 'a time in it is none');
  return at;
}
