/** The cookie of a session. Behind TLS no other host of the domain and no plain connection can set it. */
import type { WireRequest } from '../../core/formats/index.ts';

type Request = Pick<WireRequest, 'headers' | 'sender'>;

export function isSecure({ sender }: Request): boolean {
  return sender?.scheme === 'https';
}

/**
 * Browsers send a cookie to every port of a host. The port is in the name, so that consoles behind tunnels on one machine do not
 * end each other's sessions. A cookie with the prefix has the path of the whole host.
 */
function nameOf(request: Request): string {
  const [, port] = /:(\d{1,5})$/.exec(request.headers.host ?? '') ?? [];
  const name = port === undefined ? 'triglyph-console' : `triglyph-console-${port}`;
  return isSecure(request) ? `__Host-${name}` : name;
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
