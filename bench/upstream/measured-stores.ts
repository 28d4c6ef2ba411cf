/** The stores of gateways that forward, as private servers whose CPU time is known. */
import { startPostgres } from '../../test/support/postgres.ts';
import { type RedisServer, startRedis, startRedisCluster } from '../../test/support/redis.ts';
import { cpuUs } from '../server.ts';

export interface MeasuredStore {
  /** The settings of a gateway that uses it. */
  readonly variables: Readonly<Record<string, string>>;
  /** CPU time of its processes since their start, in microseconds. Processes that have ended are missing. */
  cpuUs(): Promise<number>;
  /** What it holds; absent where that is not measured. */
  bytes?(): Promise<StoredBytes>;
}

export interface StoredBytes {
  readonly records: number;
  readonly memory: number;
  /** Of the append-only file. */
  readonly log: number;
}

export interface Stores {
  readonly stores: Readonly<Record<'PostgreSQL' | 'Redis' | 'Redis Cluster' | 'no store', MeasuredStore>>;
  stop(): Promise<void>;
}

/** Starts them all. They wait for their disk as they do in production. */
export async function openStores(): Promise<Stores> {
  await using opening = new AsyncDisposableStack();
  const postgres = await startPostgres({ durable: true });
  opening.defer(() => postgres.discard());
  // A file that is rewritten meanwhile has another size.
  const redis = await startRedis({ persistent: true, parameters: ['--auto-aof-rewrite-percentage', '0'] });
  opening.defer(() => redis.stop());
  const cluster = await startRedisCluster(
    { replicas: 1 },
    { persistent: true, parameters: ['--min-replicas-to-write', '1'] },
  );
  opening.defer(() => cluster.stop());
  const redisPids = await pidsOf([redis]);
  const clusterPids = await pidsOf(cluster.nodes);
  const closers = opening.move();
  return {
    stores: {
      PostgreSQL: {
        variables: { DATABASE_URL: await postgres.createDatabase() },
        async cpuUs() {
          const rows = await postgres.ask(
            `select pid from pg_stat_activity where pid <> pg_backend_pid() and backend_type not like 'autovacuum worker'`,
          );
          return sumOf(rows.map(({ pid }) => Number(pid)));
        },
      },
      Redis: {
        variables: { REDIS_STORE_URL: redis.url },
        cpuUs: async () => sumOf(redisPids),
        bytes: () => bytesOf(redis),
      },
      'Redis Cluster': { variables: { REDIS_STORE_URL: cluster.url }, cpuUs: async () => sumOf(clusterPids) },
      'no store': { variables: { STATELESS: 'on' }, cpuUs: async () => 0 },
    },
    stop: () => closers.disposeAsync(),
  };
}

async function pidsOf(nodes: readonly RedisServer[]): Promise<readonly number[]> {
  const texts = await Promise.all(nodes.map(({ raw }) => raw.info('server')));
  return texts.map((text) => Number(/^process_id:(\d+)/m.exec(text)?.[1]));
}

async function bytesOf({ raw }: RedisServer): Promise<StoredBytes> {
  const text = await raw.info();
  const field = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(text)?.[1]);
  return { records: await raw.dbsize(), memory: field('used_memory'), log: field('aof_current_size') };
}

function sumOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuUs(pid), 0);
}
