/** Starts private Redis servers on free ports: one, a Sentinel set, or a cluster. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { freePort } from './listen-locally.ts';
import { createTempFolder } from './temp-folder.ts';
import { hangMsMax, until } from './until.ts';

const host = '127.0.0.1';

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
}

/** Resolves once the server is ready, and rejects with its output where it ends before. */
const launch = async (folder: string, parameters: readonly string[], ready: RegExp): Promise<Running> => {
  const child = spawn('redis-server', parameters, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const timer = setTimeout(() => child.kill('SIGKILL'), hangMsMax);
  let output = '';
  try {
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          if (ready.test(output)) resolve();
        });
      child.once('error', reject);
      child.once('close', () => reject(new Error(`redis-server did not serve:\n${output}`)));
    });
  } finally {
    clearTimeout(timer);
  }
  return { child, ended };
};

const serves = /Ready to accept connections|Sentinel ID is/;

/** A server process that tests can kill, freeze and restart. */
export class RedisServer {
  readonly port: number;
  readonly url: string;
  readonly #folder: string;
  readonly #parameters: readonly string[];
  readonly #password: string | undefined;
  #running: Running;
  #raw: Redis | undefined;

  private constructor(
    running: Running,
    port: number,
    folder: string,
    parameters: readonly string[],
    password?: string,
  ) {
    this.#running = running;
    this.port = port;
    this.#folder = folder;
    this.#parameters = parameters;
    this.#password = password;
    this.url = `redis://${password === undefined ? '' : `:${encodeURIComponent(password)}@`}${host}:${port}`;
  }

  /** `given` may name a file by `FOLDER`, which becomes the server's own folder. */
  static async start(given: readonly string[], { password, files = {} }: Prepared = {}): Promise<RedisServer> {
    const folder = createTempFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const secret = password === undefined ? [] : ['--requirepass', password];
    const port = await freePort();
    const parameters = [...given, ...secret, '--bind', host, '--port', String(port), '--dir', folder];
    try {
      return new RedisServer(await launch(folder, parameters, serves), port, folder, parameters, password);
    } catch (thrown) {
      rmSync(folder, { recursive: true, force: true });
      throw thrown;
    }
  }

  /** A client for the test's own reads and writes. */
  get raw(): Redis {
    this.#raw ??= new Redis({
      host,
      port: this.port,
      ...(this.#password !== undefined && { password: this.#password }),
      retryStrategy: () => 50,
      disconnectTimeout: 100,
    }).on('error', () => {});
    return this.#raw;
  }

  /** All string values by their keys. */
  async texts(): Promise<ReadonlyMap<string, string | null>> {
    const keys = await this.raw.keys('*');
    return new Map(await Promise.all(keys.map(async (key) => [key, await this.raw.get(key)] as const)));
  }

  /** Sends SIGSTOP: connections stay open without responses. */
  pause(): void {
    this.#running.child.kill('SIGSTOP');
  }

  resume(): void {
    this.#running.child.kill('SIGCONT');
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    this.#running.child.kill('SIGKILL');
    await this.#running.ended;
  }

  /** Restarts on the same port after `kill`, with the data that was persisted to its folder, by default none. */
  async restart(): Promise<void> {
    await until(`port ${this.port} to be free again`, async () => {
      this.#running = await launch(this.#folder, this.#parameters, serves);
      return true;
    });
  }

  async stop(): Promise<void> {
    this.#raw?.disconnect();
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

interface Prepared {
  readonly password?: string;
  /** Files by name, written into its folder. */
  readonly files?: Readonly<Record<string, string>>;
}

const forgetful = ['--save', '', '--appendonly', 'no'];
const lasting = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];

export interface RedisOptions {
  readonly password?: string;
  /** Persists its data across a restart. */
  readonly persistent?: boolean;
  readonly parameters?: readonly string[];
}

export const startRedis = (options: RedisOptions = {}): Promise<RedisServer> => {
  const { password, persistent = false, parameters = [] } = options;
  return RedisServer.start(
    [...(persistent ? lasting : forgetful), '--maxmemory-policy', 'noeviction', ...parameters],
    password === undefined ? {} : { password },
  );
};

const stopAll = async (servers: readonly RedisServer[]): Promise<void> => {
  await Promise.all(servers.map((server) => server.stop()));
};

export interface SentinelSet {
  readonly url: string;
  /** The two data nodes; the first starts as master. */
  readonly nodes: readonly [RedisServer, RedisServer];
  readonly sentinels: readonly RedisServer[];
  stop(): Promise<void>;
}

const masterName = 'main';

/** Replicas start to copy at once. */
const copiesAtOnce = ['--repl-diskless-sync-delay', '0'];

/** A replica that never was in step cannot take over. */
const inStep = (replica: RedisServer): Promise<void> =>
  until('the replica to be in step', async () => /master_link_status:up/.test(await replica.raw.info('replication')));

/** How many of a kind a Sentinel knows of. */
const known = async (sentinel: RedisServer, field: string): Promise<number> => {
  const fields = (await sentinel.raw.call('SENTINEL', 'MASTER', masterName)) as string[];
  return Number(fields[fields.indexOf(field) + 1]);
};

/** A master, a replica in step with it, and Sentinels that find a master dead after half a second. */
export const startSentinelSet = async (
  sentinelCount: 1 | 3 = 1,
  { parameters = [], ...options }: RedisOptions = {},
): Promise<SentinelSet> => {
  const started: RedisServer[] = [];
  const keep = async (starting: Promise<RedisServer>): Promise<RedisServer> => {
    const server = await starting;
    started.push(server);
    return server;
  };
  try {
    const master = await keep(startRedis({ ...options, parameters: [...parameters, ...copiesAtOnce] }));
    const replica = await keep(
      startRedis({ ...options, parameters: [...parameters, '--replicaof', host, String(master.port)] }),
    );
    await inStep(replica);
    const conf = [
      `sentinel monitor ${masterName} ${host} ${master.port} ${Math.ceil((sentinelCount + 1) / 2)}`,
      `sentinel down-after-milliseconds ${masterName} 500`,
      `sentinel failover-timeout ${masterName} 3000`,
    ].join('\n');
    const sentinels: RedisServer[] = [];
    for (let at = 0; at < sentinelCount; at += 1)
      sentinels.push(
        await keep(RedisServer.start(['sentinel.conf', '--sentinel'], { files: { 'sentinel.conf': conf } })),
      );
    for (const sentinel of sentinels)
      await until('the Sentinels to know all', async () => {
        const others = await known(sentinel, 'num-other-sentinels');
        return (await known(sentinel, 'num-slaves')) === 1 && others === sentinelCount - 1;
      });
    const hosts = sentinels.map(({ port }) => `${host}:${port}`).join(',');
    return {
      url: `redis+sentinel://${hosts}/${masterName}`,
      nodes: [master, replica],
      sentinels,
      stop: () => stopAll(started),
    };
  } catch (thrown) {
    await stopAll(started);
    throw thrown;
  }
};

export interface RedisCluster {
  readonly url: string;
  readonly nodes: readonly RedisServer[];
  stop(): Promise<void>;
}

const clusterMasters = 3;

/** Three masters that share the slots, with so many replicas each. A replica takes over from a lost master after the timeout. */
export const startRedisCluster = async (
  { replicas = 0, nodeTimeoutMs = 5_000 } = {},
  { parameters = [], ...options }: RedisOptions = {},
): Promise<RedisCluster> => {
  const nodes: RedisServer[] = [];
  try {
    for (let at = 0; at < clusterMasters * (1 + replicas); at += 1) {
      // However long its master was away.
      const takesOver = ['--cluster-replica-validity-factor', '0'];
      const bus = ['--cluster-port', String(await freePort()), '--cluster-node-timeout', String(nodeTimeoutMs)];
      const own = ['--cluster-enabled', 'yes', ...bus, ...takesOver, ...copiesAtOnce];
      nodes.push(await startRedis({ ...options, parameters: [...parameters, ...own] }));
    }
    const hosts = nodes.map(({ port }) => `${host}:${port}`);
    await promisify(execFile)('redis-cli', [
      '--cluster',
      'create',
      ...hosts,
      '--cluster-replicas',
      String(replicas),
      '--cluster-yes',
    ]);
    for (const { raw } of nodes)
      await until('the cluster to be whole', async () => /cluster_state:ok/.test(String(await raw.cluster('INFO'))));
    for (const node of nodes) if (/role:slave/.test(await node.raw.info('replication'))) await inStep(node);
    return { url: `redis+cluster://${hosts.join(',')}`, nodes, stop: () => stopAll(nodes) };
  } catch (thrown) {
    await stopAll(nodes);
    throw thrown;
  }
};
