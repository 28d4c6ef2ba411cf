/** The address of a PostgreSQL database for messages, without user and password. */

/** Host, port and database of `postgres://user:password@host:5432/database`. */
export function publicAddress(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? (hostname || 'localhost');
  return `${host}:${searchParams.get('port') ?? (port || '5432')}${pathname}`;
}
