/** Reads the URL of a PostgreSQL database, which may name several hosts, as libpq does. */

export interface DatabaseAddress {
  /** One URL for each host, in the order in which they are tried. */
  readonly urls: readonly string[];
  /** Passes over servers that refuse writes: a standby, or a primary that was demoted. */
  readonly requiresWrites: boolean;
  /** PgBouncer in transaction mode lies between: each transaction may have another connection of the server. */
  readonly isPooled: boolean;
}

const outline = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]*)(\/[^?#]+)(?:\?([^#]*))?$/;

/** Returns a hint where the URL cannot be used. */
export function parseDatabaseUrl(text: string): DatabaseAddress | { readonly hint: string } {
  const [, start = '', hostList = '', path = '', query] = outline.exec(text) ?? [];
  const parameters = new URLSearchParams(query);
  const session = parameters.get('target_session_attrs');
  const pooled = parameters.get('pgbouncer');
  if (session !== null && session !== 'any' && session !== 'read-write')
    return { hint: 'give target_session_attrs=read-write, or any where each host writes: the gateway writes' };
  if (pooled !== null && pooled !== 'true' && pooled !== 'false')
    return { hint: 'give pgbouncer=true for PgBouncer in transaction mode, or leave the parameter out' };
  if (['host', 'port'].some((name) => parameters.get(name)?.includes(',')))
    return { hint: 'name several hosts before the database: postgres://user:password@host1:5432,host2:5432/database' };
  const hosts = hostList.split(',');
  if (hosts.length > 1 && (hosts.includes('') || parameters.has('host')))
    return { hint: 'give each host once, as host:port with commas between, and no parameter host' };
  const rest = session === null && pooled === null ? (query ?? '') : withoutOwn(parameters);
  const urls = hosts.map((host) => `${start}${host}${path}${rest === '' ? '' : `?${rest}`}`);
  if (start === '' || !urls.every(isValid))
    return {
      hint: 'give postgres://user:password@host:5432/database, other characters than letters and digits in the password as %XX',
    };
  return {
    urls,
    requiresWrites: session === 'read-write' || (session === null && hosts.length > 1),
    isPooled: pooled === 'true',
  };
}

/** The address for messages, without user and password: `host:5432/database`, with commas between several hosts. */
export function publicAddress({ urls }: Pick<DatabaseAddress, 'urls'>): string {
  const hosts = urls.map((url) => {
    const { hostname, port, searchParams } = new URL(url);
    const host = searchParams.get('host') ?? (hostname || 'localhost');
    return `${host}:${searchParams.get('port') ?? (port || '5432')}`;
  });
  return `${hosts.join(',')}${new URL(urls[0]!).pathname}`;
}

/** The parameters for the client, which does not know these two. */
function withoutOwn(parameters: URLSearchParams): string {
  parameters.delete('target_session_attrs');
  parameters.delete('pgbouncer');
  return parameters.toString();
}

/** Requires that reserved characters are percent-encoded: a plain `/` or `#` in a password would end it. */
function isValid(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, pathname } = new URL(url);
  return [username, password, pathname].every(isDecodable);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
