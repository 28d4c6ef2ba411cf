/** Opens the connection to Redis: one server, a Sentinel set or a cluster, with options under which no request waits for Redis. */

import { checkServerIdentity, connect as connectTls, type TLSSocket } from 'node:tls';
import { AbstractConnector, Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { type Backoff, backoffMs } from '../../core/lib/index.ts';
import { type Address, parseAddress } from './address.ts';
import { type RecordScripted, recordScripts } from './record-scripts.ts';

export type Connection = (Redis | Cluster) & Scripted & RecordScripted;

type TlsOptions = NonNullable<RedisOptions['tls']>;

const connectMsMax = 200;
/** A socket without an answer for so long is closed: its server hangs or is gone. */
const silenceMsMax = 1_000;
const reconnect: Backoff = { firstMs: 50, maxMs: 300 };

/** Complete, so that new defaults of the client change nothing. */
const common = {
  connectionName: 'triglyph',
  protocol: 2,
  disableClientInfo: true,
  connectTimeout: connectMsMax,
  socketTimeout: silenceMsMax,
  disconnectTimeout: 200,
  keepAlive: 30_000,
  noDelay: true,
  // A request without a connection continues without Redis; no command is queued for later.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  enableAutoPipelining: false,
  enableReadyCheck: true,
  maxLoadingRetryTime: 500,
  lazyConnect: false,
  readOnly: false,
  stringNumbers: false,
  monitor: false,
  keyPrefix: '',
  retryStrategy,
  // The master was demoted while connected: find the new one.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions;

interface ConnectionOptions {
  /** A command fails after so many milliseconds. */
  readonly commandMsMax: number;
  /** The authorities of the servers in PEM; those of Node where it is absent. */
  readonly ca?: string | undefined;
}

/** Connects in the background. Throws for an invalid URL, without repeating it. */
export function openConnection(url: string, options: ConnectionOptions): Connection {
  const client = connect(parseAddress(url), options);
  if (client instanceof Cluster) client.on('+node', joinWrites);
  else joinWrites(client);
  for (const [name, script] of Object.entries({ ...scripts, ...recordScripts })) client.defineCommand(name, script);
  return client as Connection;
}

/** The event of a connection before the commands of one turn of the event loop are written. */
export const beforeWrite = 'beforeWrite';

/** Sends the commands of one turn of the event loop by one system call, which costs more than a command. */
function joinWrites(client: Redis): void {
  client.on('connect', () => {
    const { stream } = client;
    const write = stream.write.bind(stream);
    const send = (): void => {
      client.emit(beforeWrite);
      stream.uncork();
    };
    stream.write = ((...parameters: Parameters<typeof write>) => {
      if (stream.writableCorked === 0) {
        stream.cork();
        setImmediate(send);
      }
      return write(...parameters);
    }) as typeof stream.write;
  });
}

/** Reconnects without end: Redis may come back at any time. */
function retryStrategy(times: number): number {
  return backoffMs(times, reconnect);
}

function connect(address: Address, { commandMsMax: commandTimeout, ca }: ConnectionOptions): Redis | Cluster {
  const tls = address.tls ? { tls: tlsOptions(address, ca), Connector: TlsConnector } : {};
  const [first] = address.hosts;
  switch (address.kind) {
    case 'single':
      return new Redis({ ...common, commandTimeout, ...access(address), ...tls, ...first, db: address.db, family: 0 });
    case 'sentinel':
      return new Redis({
        ...common,
        commandTimeout,
        ...access(address),
        ...(address.tls && {
          tls: tlsOptions(address, ca),
          sentinelTLS: tlsOptions(address, ca),
          enableTLSForSentinelMode: true,
        }),
        db: address.db,
        family: 0,
        sentinels: address.hosts.map((host) => ({ ...host })),
        name: address.master,
        role: 'master',
        sentinelCommandTimeout: connectMsMax,
        sentinelRetryStrategy: retryStrategy,
        updateSentinels: true,
        // Its connections have no error listener and would write to the console. `socketTimeout` closes silent sockets anyway.
        failoverDetector: false,
      });
    case 'cluster':
      return new Cluster(
        address.hosts.map((host) => ({ ...host })),
        clusterOptions(address, commandTimeout, tls),
      );
    default:
      return address satisfies never;
  }
}

/** Sentinel and clusters announce addresses. A certificate may name a host of the URL in their place. */
function tlsOptions({ hosts }: Address, ca: string | undefined): TlsOptions {
  return {
    minVersion: 'TLSv1.2',
    ...(ca !== undefined && { ca }),
    checkServerIdentity(name, certificate) {
      const fault = checkServerIdentity(name, certificate);
      const isNamed = hosts.some(({ host }) => checkServerIdentity(host, certificate) === undefined);
      return isNamed ? undefined : fault;
    },
  };
}

function access({ username, password }: Address) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  };
}

function clusterOptions(address: Address, commandTimeout: number, tls: Pick<RedisOptions, 'tls' | 'Connector'>) {
  const { retryStrategy: _, enableOfflineQueue, readOnly: __, ...node } = common;
  return {
    enableOfflineQueue,
    enableReadyCheck: true,
    enableAutoPipelining: false,
    lazyConnect: false,
    clusterRetryStrategy: retryStrategy,
    // The client reconnects to a lost node when a command needs it.
    clusterNodeRetryStrategy: null,
    scaleReads: 'master',
    maxRedirections: 4,
    // 0: a request does not wait for a lost node.
    retryDelayOnMoved: 0,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 0,
    slotsRefreshTimeout: silenceMsMax,
    slotsRefreshInterval: 5_000,
    shardedSubscribers: false,
    redisOptions: { ...node, commandTimeout, ...access(address), ...tls },
  } satisfies ClusterOptions;
}

/**
 * KEYS[1] entry, ARGV[1] pending value, ARGV[2] lease in ms, ARGV[3] bytes of the longest entry.
 * Returns `{'N'}` where the key is now reserved; otherwise `{'O', the value, its ms to live}`. A value that is too long is
 * returned as an empty text.
 */
const reserve = `
local there = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'GET', 'PX', ARGV[2])
if not there then return {'N'} end
if #there > tonumber(ARGV[3]) then there = '' end
return {'O', there, redis.call('PTTL', KEYS[1])}
`;

/** KEYS[1] entry, ARGV[1] pending value. Removes the entry only while it has this value. */
const release = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;

/** By the names of their commands. The client sends a script once per connection, then only its hash. */
const scripts = Object.freeze({
  idemReserve: { lua: reserve, numberOfKeys: 1 },
  idemRelease: { lua: release, numberOfKeys: 1 },
});

/** The commands that the scripts add to the client. */
interface Scripted {
  idemReserve(key: string, pending: string, leaseMs: number, entryBytesMax: number): Promise<unknown>;
  idemRelease(key: string, pending: string): Promise<unknown>;
}

/**
 * Replaces the connector of the client. That one listens for one error only: a connection that is closed during its handshake has a
 * second one, which would end the process.
 */
class TlsConnector extends AbstractConnector {
  readonly #options: RedisOptions;

  /** The client passes its own options, and declares their type nowhere. */
  constructor(given: unknown) {
    const options = given as RedisOptions;
    super(options.disconnectTimeout ?? 0);
    this.#options = options;
  }

  override async connect(): Promise<TLSSocket> {
    const { host, port, tls } = this.#options;
    this.connecting = true;
    // As the client does: a caller may disconnect in the meantime.
    await Promise.resolve();
    if (!this.connecting) throw new Error('Connection is closed.');
    const socket = connectTls({ ...(host !== undefined && { host }), ...(port !== undefined && { port }), ...tls });
    socket.on('error', (thrown) => {
      this.firstError ??= thrown;
    });
    this.stream = socket;
    return socket;
  }
}
