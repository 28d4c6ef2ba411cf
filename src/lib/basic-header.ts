/** The header of HTTP Basic (RFC 7617). */

/** Returns the value of Authorization. The name has no colon. */
export function basicHeader(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
