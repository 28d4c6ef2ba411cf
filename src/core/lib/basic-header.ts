/** The header of HTTP Basic (RFC 7617). */

/** Returns the value of Authorization. The name has no colon. */
export function basicHeader(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

const basicPattern = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** Returns undefined for a value of Authorization that is none of HTTP Basic. The first colon ends the name; the password may have more. */
export function parseBasic(header: string): { readonly username: string; readonly password: string } | undefined {
  const [, encoded] = basicPattern.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
