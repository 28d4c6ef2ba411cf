/** Authentication: who a request is from, by HTTP Basic, split at the first colon, or X-API-Key. */

import { type AnyCaller, adviceAt, Problem, type UsernameToken } from '../core/contract/index.ts';
import { securityProblem } from '../core/formats/index.ts';
import type { Authenticator, RequestOrigin } from '../core/gateway/index.ts';
import { BoundedMap, parseBasic } from '../core/lib/index.ts';
import type { Credentials, PresentedCredential } from './credentials/credentials.ts';
import type { LoginAttempt } from './limits/login-limits.ts';
import type { LoginGuard } from './login-guard.ts';

/** Clients repeat their header: each is parsed once in a second. It holds secrets, so it keeps none for longer. */
const parsed = new BoundedMap<string, PresentedCredential>(1_000, { msMax: 1_000 });

/**
 * Accepts the credentials of the store. The refusal is the same for an unknown user and a wrong secret. `guard`: limits failed
 * log-ins; absent where nothing is limited.
 */
export function createAuthenticator(credentials: Credentials, guard?: LoginGuard): Authenticator {
  const authenticate = async (request: RequestOrigin, token?: UsernameToken): Promise<AnyCaller> => {
    const presented = token === undefined ? presentedCredential(request) : presentedToken(token);
    const attempt = guard && attemptOf(presented, request);
    if (attempt !== undefined) guard?.check(attempt);
    const verification = await credentials.verify(presented, request);
    // Others may have failed meanwhile: guesses at the same time are no more than those one after the other.
    if (attempt !== undefined) guard?.check(attempt);
    if (verification.caller === undefined) {
      if (attempt === undefined) guard?.refusedCertificate(request.sender?.address, verification);
      const nameHash = attempt && (await guard?.refused(attempt, verification));
      if (token === undefined) throw unauthorized(verification.refusal, nameHash);
      throw securityProblem('FailedAuthentication', undefined, { reason: verification.refusal, nameHash });
    }
    if (attempt !== undefined) guard?.accepted(attempt);
    return verification.caller;
  };
  return Object.freeze<Authenticator>({ authenticate, requireCredential: authenticate });
}

/** A certificate cannot be guessed: its caller has proved the key. Codes are guessed as secrets are, so each one counts. */
function attemptOf(presented: PresentedCredential, { sender, code }: RequestOrigin): LoginAttempt | undefined {
  const { kind } = presented;
  const secret = code === undefined ? presented.secret : JSON.stringify([presented.secret, code]);
  switch (kind) {
    case 'basic':
      return { name: presented.username, secret, hasCode: code !== undefined, address: sender?.address };
    case 'apiKey':
      return { secret, address: sender?.address };
    case 'certificate':
      return undefined;
    default:
      return kind satisfies never;
  }
}

/** What the caller shows; a Problem when it shows nothing, or two things at once. A certificate counts where it is alone. */
function presentedCredential(request: RequestOrigin): PresentedCredential {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  if (authorization === undefined && apiKey === undefined) {
    const { certificate } = request;
    if (certificate === undefined) throw unauthorized();
    return { kind: 'certificate', secret: certificate };
  }
  if (authorization !== undefined && apiKey !== undefined)
    throw new Problem('badRequest', 'Bad request: both Authorization and X-API-Key are given');
  const found =
    apiKey === undefined ? presentedBasic(authorization ?? '') : ({ kind: 'apiKey', secret: apiKey } as const);
  if (found === undefined) throw unauthorized();
  return found;
}

/** Checking the digest of a password takes the password, and the store has a hash of it. */
function presentedToken({ username, password, isDigest }: UsernameToken): PresentedCredential {
  if (isDigest) throw securityProblem('UnsupportedSecurityToken', 'send the password as PasswordText');
  return { kind: 'basic', username, secret: password };
}

function presentedBasic(header: string): PresentedCredential | undefined {
  const known = parsed.get(header);
  if (known !== undefined) return known;
  const presented = readBasic(header);
  if (presented !== undefined && header.length <= 200) parsed.set(header, presented);
  return presented;
}

function readBasic(header: string): PresentedCredential | undefined {
  const found = parseBasic(header);
  return found && { kind: 'basic', username: found.username, secret: found.password };
}

/** `reason` and `nameHash`: for operators. */
export function unauthorized(reason?: string, nameHash?: string): Problem {
  return new Problem('unauthorized', undefined, {
    ...adviceAt(
      'Authorization',
      'send an API key in the header X-API-Key, or a user name and its password as HTTP Basic, that the operator of this service gave you',
    ),
    ...(reason !== undefined && { reason }),
    nameHash,
    headers: { 'WWW-Authenticate': 'Basic realm="Triglyph", charset="UTF-8"' },
  });
}
