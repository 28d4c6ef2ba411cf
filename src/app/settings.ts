/** Settings: one row each, from which they are read, checked, shown and documented. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

export type Mode = 'production' | 'demo';

/** A value, or what to write instead. */
export type Parsed<T> = { readonly value: T } | { readonly mend: string };

/** What a default may depend on. */
export interface Given {
  readonly mode: Mode;
  readonly text: (name: string) => string | undefined;
}

export interface Setting<T> {
  /** The environment variable. */
  readonly name: string;
  readonly unit: string;
  /** The text that stands for an absent variable; `said` is how the reference says it. Absent: there is none. */
  readonly default?: string | { readonly said: string; readonly of: (given: Given) => string | undefined };
  readonly doc: string;
  /** Never shown; may be read from a file. */
  readonly secret?: true;
  /** Variables that may name a file holding the value. */
  readonly fileNames?: readonly string[];
  readonly parse: (text: string) => Parsed<T>;
}

/** Addresses whose forwarding headers are believed. */
export interface TrustedProxies {
  readonly any: boolean;
  trusts(address: string): boolean;
}

const setting = <T>(row: Setting<T>): Setting<T> => Object.freeze(row);
/** A setting that may be left out. */
const optional = <T>(row: Setting<T>): Setting<T | undefined> => Object.freeze(row);

const text = (value: string): Parsed<string> => ({ value });

const whole =
  (min: number, max: number) =>
  (given: string): Parsed<number> => {
    const value = /^\d{1,12}$/.test(given) ? Number(given) : Number.NaN;
    return value >= min && value <= max ? { value } : { mend: `give a whole number from ${min} to ${max}` };
  };

const oneOf =
  <const V extends readonly string[]>(...values: V) =>
  (given: string): Parsed<V[number]> => {
    const value = values.find((each) => each === given);
    return value === undefined ? { mend: `give one of ${values.join(', ')}` } : { value };
  };

const onOrOff = (given: string): Parsed<boolean> =>
  given === 'on' || given === 'off' ? { value: given === 'on' } : { mend: 'give on or off' };

const fieldName = (given: string): Parsed<string> =>
  /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(given)
    ? { value: given }
    : { mend: 'give 1 to 64 letters, digits, underscores and hyphens, a letter first' };

const host = (given: string): Parsed<string> =>
  isIPv4(given) || isIPv6(given) || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(given)
    ? { value: given }
    : { mend: 'give an address or a host name, without a port' };

const origin = (given: string): Parsed<string> => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const plain = url !== undefined && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  return plain ? { value: url.origin } : { mend: 'give scheme, host and port only, like https://pay.example.com' };
};

const decodes = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/** A character of a password that is not written as %XX would end it, and the rest be taken for a host. */
const databaseUrl = (given: string): Parsed<string> => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const sound =
    url !== undefined &&
    /^postgres(ql)?:$/.test(url.protocol) &&
    url.pathname.length > 1 &&
    url.hash === '' &&
    [url.username, url.password, url.pathname].every(decodes);
  return sound
    ? { value: given }
    : {
        mend: 'give postgres://user:password@host:5432/database, other characters than letters and digits in the password as %XX',
      };
};

/** The outline; opening it says what is wrong within. */
const redisUrl = (given: string): Parsed<string> =>
  /^(?:rediss?|redis\+sentinel|redis\+cluster):\/\/(?:[^@/?#]*:[^@/?#]+@)?[\w.:[\],-]+(?:\/[\w.-]*){0,2}$/.test(given)
    ? { value: given }
    : {
        mend: 'give redis://host:6379, rediss://host, redis+sentinel://host:26379,host:26379/master or redis+cluster://host:7000,host:7001, with user:password@ before the host where one is asked for',
      };

/** Credentials in it would stand in process lists, and no fetch takes them. */
const updaterUrl = (given: string): Parsed<string> => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const sound =
    url !== undefined && /^https?:$/.test(url.protocol) && url.hash === '' && `${url.username}${url.password}` === '';
  return sound
    ? { value: url.href }
    : { mend: 'give an address like https://updater.example.com/checks, without user, password and fragment' };
};

const token = (given: string): Parsed<string> =>
  /^[\x21-\x7e]{1,4096}$/.test(given)
    ? { value: given }
    : { mend: 'give up to 4096 printable ASCII characters without blanks' };

/** An IPv4 address that came in over an IPv6 socket, as itself. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

const proxies = (given: string): Parsed<TrustedProxies> => {
  const list = new BlockList();
  const entries = given.split(/[\s,]+/).filter((entry) => entry !== '');
  for (const entry of entries) {
    const [address = '', bits, ...rest] = entry.split('/');
    const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
    const width = whole(1, family === 'ipv4' ? 32 : 128)(bits ?? '1');
    if (family === undefined || rest.length > 0 || 'mend' in width) {
      return { mend: 'give addresses or networks, separated by commas, like 10.0.0.0/8, 2001:db8::1' };
    }
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, width.value, family);
  }
  const trusts = (address: string): boolean => {
    const plain = plainAddress(address);
    return isIPv4(plain) ? list.check(plain, 'ipv4') : isIPv6(plain) && list.check(plain, 'ipv6');
  };
  return { value: Object.freeze({ any: entries.length > 0, trusts }) };
};

export const settings = Object.freeze({
  environment: setting({
    name: 'ENVIRONMENT',
    unit: 'test or live',
    default: 'test',
    doc: 'Whether real cards are served; live refuses to start where that would be unsafe. In test some card numbers stand for the outcomes of scheduleAccountUpdater (docs/account-updater.md).',
    parse: oneOf('test', 'live'),
  }),
  dataDir: setting({
    name: 'DATA_DIR',
    unit: 'folder',
    default: { said: './data; the demo ./data/demo', of: ({ mode }) => (mode === 'demo' ? './data/demo' : './data') },
    doc: 'Where the embedded store lies. One server at a time serves from it; commands work beside it.',
    parse: text,
  }),
  databaseUrl: optional({
    name: 'DATABASE_URL',
    unit: 'URL',
    doc: 'A PostgreSQL (or what speaks its protocol) to keep everything in instead of DATA_DIR, for any number of servers: `postgres://user:password@host:5432/database?sslmode=verify-full`.',
    secret: true,
    fileNames: ['DATABASE_URL_FILE'],
    parse: databaseUrl,
  }),
  databasePoolMax: setting({
    name: 'DATABASE_POOL_MAX',
    unit: 'connections',
    default: '10',
    doc: 'How many connections to DATABASE_URL a process has at most.',
    parse: whole(2, 100),
  }),
  keys: optional({
    name: 'TRIGLYPH_KEYS',
    unit: 'key ring text',
    doc: 'The keys that wrap card data and credentials. Better given as a file, which no process list or crash report shows.',
    secret: true,
    fileNames: ['KEY_FILE', 'TRIGLYPH_KEYS_FILE'],
    parse: text,
  }),
  redisUrl: optional({
    name: 'REDIS_URL',
    unit: 'URL',
    doc: 'A Redis (7.0 or newer) that several gateways share to turn away retries in flight and to answer finished ones: `redis://`, `rediss://`, `redis+sentinel://` or `redis+cluster://`. Without it the store does that alone.',
    secret: true,
    fileNames: ['REDIS_URL_FILE'],
    parse: redisUrl,
  }),
  host: setting({
    name: 'HOST',
    unit: 'address',
    default: { said: '0.0.0.0; the demo 127.0.0.1', of: ({ mode }) => (mode === 'demo' ? '127.0.0.1' : '0.0.0.0') },
    doc: 'Where callers are listened for.',
    parse: host,
  }),
  port: setting({
    name: 'PORT',
    unit: 'port',
    default: '8080',
    doc: 'The port for callers; 0 takes a free one.',
    parse: whole(0, 65535),
  }),
  adminHost: setting({
    name: 'ADMIN_HOST',
    unit: 'address',
    default: '127.0.0.1',
    doc: 'Where probes and metrics are listened for. They ask for no credentials: keep it inside.',
    parse: host,
  }),
  adminPort: setting({
    name: 'ADMIN_PORT',
    unit: 'port',
    default: '9090',
    doc: 'The port for /livez, /readyz and /metrics; 0 takes a free one.',
    parse: whole(0, 65535),
  }),
  workers: setting({
    name: 'WORKERS',
    unit: 'processes',
    default: '1',
    doc: 'How many processes serve the port, with DATABASE_URL; about one for each core. A primary process has the admin port for all and starts a lost one anew; SIGHUP to it has new ones take the place of all, one after the other.',
    parse: whole(1, 128),
  }),
  trustedProxies: setting({
    name: 'TRUSTED_PROXIES',
    unit: 'addresses and networks',
    default: '',
    doc: 'Proxies whose X-Forwarded-For, -Host and -Proto headers are believed. Empty: nobody is.',
    parse: proxies,
  }),
  publicUrl: optional({
    name: 'PUBLIC_URL',
    unit: 'origin',
    doc: "The service address in served documents; when absent it follows the request's host.",
    parse: origin,
  }),
  bodyBytesMax: setting({
    name: 'BODY_BYTES_MAX',
    unit: 'bytes',
    default: '65536',
    doc: 'The largest request body. The largest request of the interface is under 8 KiB.',
    parse: whole(1024, 10_485_760),
  }),
  headerBytesMax: setting({
    name: 'HEADER_BYTES_MAX',
    unit: 'bytes',
    default: '8192',
    doc: 'The largest head of a request, request line included; beyond it 431.',
    parse: whole(1024, 65536),
  }),
  headersMax: setting({
    name: 'HEADERS_MAX',
    unit: 'headers',
    default: '64',
    doc: 'How many headers a request may have.',
    parse: whole(16, 1000),
  }),
  headersMsMax: setting({
    name: 'HEADERS_MS_MAX',
    unit: 'ms',
    default: '10000',
    doc: 'How long the head of a request may take to arrive; beyond it 408.',
    parse: whole(100, 600_000),
  }),
  requestMsMax: setting({
    name: 'REQUEST_MS_MAX',
    unit: 'ms',
    default: '15000',
    doc: 'How long a whole request may take to arrive; beyond it 408. Not less than HEADERS_MS_MAX.',
    parse: whole(100, 600_000),
  }),
  writeMsMax: setting({
    name: 'WRITE_MS_MAX',
    unit: 'ms',
    default: '15000',
    doc: 'How long a caller may take to read an answer before the connection is cut.',
    parse: whole(100, 600_000),
  }),
  keepAliveMs: setting({
    name: 'KEEP_ALIVE_MS',
    unit: 'ms',
    default: {
      said: '5000; 65000 with TRUSTED_PROXIES',
      // A proxy keeps connections for a minute; we must not be the first to close one.
      of: ({ text }) => (text('TRUSTED_PROXIES') === undefined ? '5000' : '65000'),
    },
    doc: 'How long an idle connection stays open.',
    parse: whole(0, 600_000),
  }),
  requestsPerSocketMax: setting({
    name: 'REQUESTS_PER_SOCKET_MAX',
    unit: 'requests',
    default: '1000',
    doc: 'After how many requests a connection is closed; 0 is never.',
    parse: whole(0, 1_000_000),
  }),
  connectionsMax: setting({
    name: 'CONNECTIONS_MAX',
    unit: 'connections',
    default: '1024',
    doc: 'How many connections are held at once; more are dropped.',
    parse: whole(1, 100_000),
  }),
  drainNoticeMs: setting({
    name: 'DRAIN_NOTICE_MS',
    unit: 'ms',
    default: '0',
    doc: 'How long a stop goes on accepting requests while /readyz says 503 already: longer than a proxy in front takes to notice, which is the interval of its checks times the failures that it waits for.',
    parse: whole(0, 120_000),
  }),
  drainMsMax: setting({
    name: 'DRAIN_MS_MAX',
    unit: 'ms',
    default: '10000',
    doc: 'How long a stop waits for requests in flight, after DRAIN_NOTICE_MS.',
    parse: whole(0, 600_000),
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    unit: 'level',
    default: 'info',
    doc: 'The least level logged: requests are info, failures of ours error.',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  }),
  rememberedBytesMax: setting({
    name: 'REMEMBERED_BYTES_MAX',
    unit: 'bytes',
    default: '67108864',
    doc: 'Memory for shoppers that were listed, so that listing them again asks no database; 0 is none. For the embedded store.',
    parse: whole(0, 68_719_476_736),
  }),
  idempotencyFormField: setting({
    name: 'IDEMPOTENCY_FORM_FIELD',
    unit: 'field name',
    default: 'idempotencyKey',
    doc: 'The form field that may carry the Idempotency-Key, for callers that cannot set a header.',
    parse: fieldName,
  }),
  idempotencyMessageId: setting({
    name: 'IDEMPOTENCY_MESSAGE_ID',
    unit: 'on or off',
    default: 'on',
    doc: 'Whether the MessageID of WS-Addressing is the Idempotency-Key of a SOAP request that has no such header. Turn it off for callers that send one MessageID for all.',
    parse: onOrOff,
  }),
  updater: setting({
    name: 'UPDATER',
    unit: 'rules, http or batch',
    default: 'rules',
    doc: 'Who tells scheduleAccountUpdater what has become of cards: announced changes and test cards, an updater behind UPDATER_URL, or files in UPDATER_FOLDER (docs/account-updater.md).',
    parse: oneOf('rules', 'http', 'batch'),
  }),
  updaterUrl: optional({
    name: 'UPDATER_URL',
    unit: 'URL',
    doc: 'Where card numbers are sent to be checked, with UPDATER=http: `https://updater.example.com/checks`.',
    parse: updaterUrl,
  }),
  updaterSecret: optional({
    name: 'UPDATER_SECRET',
    unit: 'token',
    doc: 'What the updater behind UPDATER_URL knows this gateway by, sent as a bearer token.',
    secret: true,
    fileNames: ['UPDATER_SECRET_FILE'],
    parse: token,
  }),
  updaterMsMax: setting({
    name: 'UPDATER_MS_MAX',
    unit: 'ms',
    default: '1500',
    doc: 'How long a request waits for the updater behind UPDATER_URL; what it does not tell by then is asked again later.',
    parse: whole(100, 10_000),
  }),
  updaterFolder: optional({
    name: 'UPDATER_FOLDER',
    unit: 'folder',
    doc: 'Where files of checks are written and files of answers read, with UPDATER=batch; all servers of a database share it. They hold card numbers in the clear.',
    parse: text,
  }),
  updaterBatchMs: setting({
    name: 'UPDATER_BATCH_MS',
    unit: 'ms',
    default: '900000',
    doc: 'How long a check waits at most before it is in a file of UPDATER_FOLDER.',
    parse: whole(0, 604_800_000),
  }),
  updaterBatchRowsMax: setting({
    name: 'UPDATER_BATCH_ROWS_MAX',
    unit: 'rows',
    default: '10000',
    doc: 'How many checks are in a file of UPDATER_FOLDER at most; so many do not wait for UPDATER_BATCH_MS.',
    parse: whole(1, 100_000),
  }),
  webhookMsMax: setting({
    name: 'WEBHOOK_MS_MAX',
    unit: 'ms',
    default: '10000',
    doc: 'How long an endpoint may take to answer a webhook (docs/webhooks.md).',
    parse: whole(100, 60_000),
  }),
  webhookGiveUpMs: setting({
    name: 'WEBHOOK_GIVE_UP_MS',
    unit: 'ms',
    default: '259200000',
    doc: 'For how long a webhook is tried before it is a dead letter: three days.',
    parse: whole(1_000, 2_592_000_000),
  }),
  demoShoppers: setting({
    name: 'DEMO_SHOPPERS',
    unit: 'shoppers',
    default: '0',
    doc: 'How many generated shoppers the demo adds, with three details each. For the demo only.',
    parse: whole(0, 1_000_000),
  }),
});

type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** A value for each setting. */
export type Settings = { readonly [K in keyof typeof settings]: ValueOf<(typeof settings)[K]> };
