/** A UsernameToken as the credential of a request to an upstream, instead of HTTP Basic. */
import { type AnyRequest, printable } from '../core/contract/index.ts';
import { securityProblem } from '../core/formats/index.ts';
import { basicHeader, parseBasic } from '../core/lib/index.ts';
import type { Headers, UpstreamSetup } from './options.ts';
import type { Token } from './ws-security.ts';

/** Returns the headers of a credential, without those that the token stands for. */
export function toToken(
  credential: Headers,
  { head }: AnyRequest,
  { soap, credentials }: Pick<UpstreamSetup, 'soap' | 'credentials'>,
): { readonly headers: Headers; readonly token?: Token } {
  const as = soap?.security?.fromCredential;
  if (as === undefined) return { headers: credential };
  const made = credentials.areForwarded === true ? head?.token : undefined;
  if (made?.isDigest === true) return { headers: credential, token: { made } };
  const { authorization, ...headers } = credential;
  const basic = authorization === undefined ? undefined : parseBasic(authorization);
  if (basic === undefined) return { headers: credential };
  // What XML has no character for would make the request unreadable.
  if (!printable(basic.username) || !printable(basic.password)) throw securityProblem('FailedAuthentication');
  return { headers, token: { ...basic, ...as } };
}

/**
 * Returns the header for a token of the caller, which the upstream gets as HTTP Basic. Throws a Problem for one that no header can have. `isSentAsToken`: it
 * is sent as a token.
 */
export function headerOfToken({ head }: AnyRequest, isSentAsToken: boolean): Headers {
  const token = head?.token;
  if (token === undefined || (token.isDigest && isSentAsToken)) return {};
  if (token.isDigest) throw securityProblem('UnsupportedSecurityToken', 'send the password as PasswordText');
  if (token.username.includes(':')) throw securityProblem('InvalidSecurity', 'the name has a colon');
  return { authorization: basicHeader(token.username, token.password) };
}
