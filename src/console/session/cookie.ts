/** The cookie of a session. Behind TLS no other host of the domain and no plain connection can set it. */
import type { WireRequest } from '../../formats/wire.ts';

type Request = Pick<WireRequest, 'headers' | 'sender'>;

export function isSecure({ sender }: Request): boolean {
  return sender?.scheme === 'https';
}

/** A cookie with the prefix has the path of the whole host. */
function nameOf(request: Request): string {
  return isSecure(request) ? '__Host-triglyph-console' : 'triglyph-console';
}

export function sessionTokenOf(request: Request): string | undefined {
  const name = nameOf(request);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** The value of Set-Cookie. Undefined removes the cookie. It has no lifetime: the browser forgets it when it is closed. */
export function printSessionCookie(request: Request, token: string | undefined): string {
  const attributes = isSecure(request) ? 'Path=/; Secure' : 'Path=/console';
  const lifetime = token === undefined ? '; Max-Age=0' : '';
  return `${nameOf(request)}=${token ?? ''}; ${attributes}; HttpOnly; SameSite=Strict${lifetime}`;
}
