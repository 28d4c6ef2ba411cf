/** Tests keyed load on two servers through failovers of Redis Sentinel and of a Redis Cluster: nothing is lost or done twice. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Pairs, startPairs } from '../support/keyed-pairs.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type RedisServer, startRedisCluster, startSentinelSet } from '../support/redis.ts';
import { basic, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const trusting = join(import.meta.dirname, '../support/server-trusting-redis.ts');

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.discard());

const replication = (node: RedisServer) => node.raw.info('replication');
const isMaster = async (node: RedisServer) => /role:master/.test(await replication(node));
interface MasterAndReplica {
  readonly master: RedisServer;
  readonly replica: RedisServer;
}

/** A master, and the replica that streams from it. A demoted master has none. */
const findPair = async (nodes: readonly RedisServer[]): Promise<MasterAndReplica> => {
  let found: MasterAndReplica | undefined;
  await until('a master with a replica', async () => {
    for (const master of nodes) {
      const text = await replication(master).catch(() => '');
      const port = /slave0:ip=[^,]*,port=(\d+),state=online/.exec(text)?.[1];
      const replica = nodes.find((node) => String(node.port) === port);
      if (/role:master/.test(text) && replica !== undefined) found = { master, replica };
    }
    return found !== undefined;
  });
  return found!;
};

interface Topology {
  readonly url: string;
  readonly nodes: readonly RedisServer[];
  /** Fails over by a command. */
  command(master: RedisServer, replica: RedisServer): Promise<unknown>;
  stop(): Promise<void>;
}

const topologies: Readonly<Record<string, () => Promise<Topology>>> = {
  async Sentinel() {
    const { sentinels, ...set } = await startSentinelSet(3);
    // One is away: the other two agree.
    await sentinels[0]!.kill();
    const command = () =>
      until('Sentinel to begin a failover', async () => {
        const begun = sentinels[1]!.raw.call('SENTINEL', 'FAILOVER', 'main');
        return (await begun.catch(() => undefined)) === 'OK';
      });
    return { ...set, command };
  },
  async 'a cluster'() {
    const cluster = await startRedisCluster({ replicas: 1, nodeTimeoutMs: 1_000 });
    return { ...cluster, command: (_, replica) => replica.raw.cluster('FAILOVER') };
  },
};

interface Running {
  readonly servers: readonly Server[];
  readonly database: string;
  readonly pairs: Pairs;
  isUp(): Promise<boolean>;
  discard(): Promise<void>;
}

const startAll = async (url: string, file?: string): Promise<Running> => {
  const folder = tempFolder();
  const database = await postgres.createMigratedDatabase();
  const { variables, credential } = await prepareProduction(folder.path, { DATABASE_URL: database, REDIS_URL: url });
  const servers = await Promise.all([0, 1].map(() => startServer('serve', folder.path, variables, { file })));
  const isUp = async () => {
    const pages = await Promise.all(servers.map(async ({ admin }) => (await fetch(`${admin}/metrics`)).text()));
    return pages.every((page) => /^triglyph_redis_up 1$/m.test(page));
  };
  const [one, other] = servers.map(({ callers }) => callers) as [string, string];
  const authorization = basic(credential.username, credential.secret);
  const pairs = startPairs({ origins: [one, other], authorization, merchantAccount: 'AcmeWeb', callers: 4 });
  return {
    ...{ servers, database, pairs, isUp },
    async discard() {
      await pairs.stop();
      for (const server of servers) await server.stop();
      folder.discard();
    },
  };
};

const moreAnswers = async (pairs: Pairs, number: number): Promise<void> => {
  const before = pairs.answered();
  await until(`${number} more answers`, () => pairs.answered() >= before + number);
};

/** The master dies while its replica lacks what was written last, and the replica takes over. */
const loseMaster = async ({ nodes }: Topology, pairs: Pairs): Promise<void> => {
  const { master, replica } = await findPair(nodes);
  replica.pause();
  // What the connection holds would reach the replica.
  await master.raw.call('CLIENT', 'KILL', 'TYPE', 'REPLICA');
  await moreAnswers(pairs, 30);
  await master.kill();
  replica.resume();
  await until('the replica to be the master', () => isMaster(replica));
};

const countRows = async (database: string) => {
  const text = `select (select count(*)::int from idempotency_record) as keys, (select count(*)::int from stored_detail) as details`;
  return (await postgres.ask(text, [], database))[0];
};

const quantile = (times: readonly number[], part: number) =>
  times.toSorted((one, other) => one - other)[Math.floor(part * (times.length - 1))]!.toFixed(1);

test.each(Object.keys(topologies))(
  'with %s: commanded, hanging and killed masters cost no effect, and cause none',
  async (name) => {
    const topology = await topologies[name]!();
    const { nodes } = topology;
    const running = await startAll(topology.url);
    const { pairs, isUp } = running;
    const report = (phase: string, from: number) => {
      const times = pairs.times.slice(from);
      const figures = `${times.length} answers, p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms, max ${quantile(times, 1)} ms`;
      if (process.env.OUTAGE_MS !== undefined) process.stderr.write(`${name}, ${phase}: ${figures}\n`);
    };
    const phase = async (text: string, work: () => Promise<void>) => {
      const from = pairs.times.length;
      await work();
      report(text, from);
    };
    try {
      await until('Redis to be up', isUp);
      await phase('before', () => moreAnswers(pairs, 30));
      await phase('failover by command', async () => {
        const { master, replica } = await findPair(nodes);
        await topology.command(master, replica);
        await until('the replica to be the master', () => isMaster(replica));
        await moreAnswers(pairs, 30);
        await until('Redis to be up', isUp);
      });
      await phase('the master hangs', async () => {
        const { master, replica } = await findPair(nodes);
        master.pause();
        await until('the replica to be the master', () => isMaster(replica));
        await moreAnswers(pairs, 30);
        await until('Redis to be up', isUp);
        master.resume();
        await until('the old master to be a replica', async () => !(await isMaster(master)));
      });
      await phase('the master dies and its replica lags', async () => {
        await loseMaster(topology, pairs);
        await moreAnswers(pairs, 30);
        await until('Redis to be up', isUp);
      });
      await pairs.stop();
      expect(pairs.failures).toEqual([]);
      const shoppers = pairs.shoppers();
      expect(await countRows(running.database)).toEqual({ keys: 2 * shoppers, details: shoppers });
      expect(await pairs.repeat()).toBe(0);
      expect(pairs.failures).toEqual([]);
      expect(await countRows(running.database)).toEqual({ keys: 2 * shoppers, details: shoppers });
    } finally {
      await running.discard();
      await topology.stop();
    }
  },
);

test('control: servers that trust what Redis knows repeat effects after a failover, and the same count finds them', async () => {
  const topology = await topologies.Sentinel!();
  const running = await startAll(topology.url, trusting);
  const { pairs } = running;
  try {
    await moreAnswers(pairs, 10);
    await loseMaster(topology, pairs);
    await moreAnswers(pairs, 10);
    await pairs.stop();
    // A server that does not reach Redis yet has only the store to trust.
    await until('repeated effects', async () => {
      const isDoubled = (await pairs.repeat()) > 0;
      return isDoubled && Number((await countRows(running.database))?.details) > pairs.shoppers();
    });
  } finally {
    await running.discard();
    await topology.stop();
  }
});
