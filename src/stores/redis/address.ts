/** Parses REDIS_URL: one server, a Sentinel set or a cluster. */

interface Host {
  readonly host: string;
  readonly port: number;
}

interface Access {
  /** At least one. */
  readonly hosts: readonly Host[];
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
}

export type Address =
  | (Access & { readonly kind: 'single'; readonly db: number })
  | (Access & { readonly kind: 'sentinel'; readonly master: string; readonly db: number })
  | (Access & { readonly kind: 'cluster' });

const kinds = {
  redis: 'single',
  rediss: 'single',
  'redis+sentinel': 'sentinel',
  'rediss+sentinel': 'sentinel',
  'redis+cluster': 'cluster',
  'rediss+cluster': 'cluster',
} as const;

const parts =
  /^(?<scheme>rediss?(?:\+(?:sentinel|cluster))?):\/\/(?:(?<access>[^@/?#]*)@)?(?<hosts>[^@/?#]+)(?<path>\/[^?#]*)?$/;
const hostForm = /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<name>[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?))(?::(?<port>\d{1,5}))?$/i;
const paths = {
  single: /^(?:\/(?<db>\d{1,5})?)?$/,
  sentinel: /^\/(?<master>[A-Za-z0-9._-]+)(?:\/(?<db>\d{1,5}))?$/,
  cluster: /^\/?$/,
};

/** Throws an Error that names the accepted forms, without any part of the URL. */
export function parseAddress(url: string): Address {
  const { scheme = '', access = '', hosts = '', path = '' } = parts.exec(url)?.groups ?? refuse();
  const kind = kinds[scheme as keyof typeof kinds];
  const { master = '', db = '0' } = (paths[kind].exec(path) ?? refuse()).groups ?? {};
  const common = {
    hosts: hosts.split(',').map((each) => parseHost(each, kind === 'sentinel' ? 26_379 : 6_379)),
    tls: scheme.startsWith('rediss'),
    ...parseAccess(access),
  };
  switch (kind) {
    case 'single':
      return common.hosts.length === 1 ? { kind, ...common, db: Number(db) } : refuse();
    case 'sentinel':
      return { kind, ...common, master, db: Number(db) };
    case 'cluster':
      return { kind, ...common };
    default:
      return kind satisfies never;
  }
}

/** The message never repeats the URL, which may hold a password. */
function refuse(): never {
  throw new Error(
    'REDIS_URL: give redis://host:6379/0, rediss://host, redis+sentinel://host:26379,host:26379/master or redis+cluster://host:7000,host:7001 (rediss+sentinel and rediss+cluster with TLS), each with user:password@ before the host where one is required',
  );
}

function parseHost(text: string, defaultPort: number): Host {
  const { six, name, port } = hostForm.exec(text)?.groups ?? {};
  const number = port === undefined ? defaultPort : Number(port);
  const host = six ?? name;
  return host === undefined || number < 1 || number > 65_535 ? refuse() : { host, port: number };
}

function parseAccess(text: string): { readonly username?: string; readonly password?: string } {
  const colon = text.indexOf(':');
  // Redis accepts no username without a password.
  if (colon === -1) return text === '' ? {} : refuse();
  const username = decoded(text.slice(0, colon));
  const password = decoded(text.slice(colon + 1));
  if (password === '') return username === '' ? {} : refuse();
  return username === '' ? { password } : { username, password };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse();
  }
}
