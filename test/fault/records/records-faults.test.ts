/**
 * Gateways without a database while their Redis is killed, cut off, full, silent or emptied: effects are counted at the server behind them.
 * `NIGHTLY=1` adds a cluster, and both modes to each fault.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { StartedGateway } from '../../../src/program/app/create-gateway.ts';
import { Random } from '../../simulation/random.ts';
import { isNightly } from '../../support/nightly.ts';
import { openProxy } from '../../support/proxy.ts';
import {
  type RedisOptions,
  type RedisServer,
  startRedis,
  startRedisCluster,
  startSentinelSet,
} from '../../support/redis.ts';
import { repeatCommand, seed } from '../../support/seed.ts';
import { isFoundWithin, until } from '../../support/until.ts';
import { type Findings, type LoadOptions, type Mode, runLoad } from './load.ts';

beforeAll(
  () => void process.stderr.write(`repeat with ${repeatCommand('test/fault/records/records-faults.test.ts')}\n`),
);

/** Tests that wait for most of their time run at once. The nightly run prints the name of each, so it has one at a time. */
const testBesideOthers = isNightly ? test : test.concurrent;

const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});
function stopping<T extends { stop(): Promise<void> }>(started: T): T {
  stops.push(() => started.stop());
  return started;
}

/** A user that sees no settings, so that a gateway believes the operator: the control of each requirement. */
const blindUser = ['--user', 'blind', 'on', '>secret', '~*', '&*', '+@all', '-config'];
const blind = (url: string): string => url.replace('://', '://blind:secret@');
const believing = { REDIS_STORE_DURABLE: 'assumed' };

const durable: RedisOptions = { persistent: true };
const copiesAtOnce = ['--repl-diskless-sync-delay', '0'];
const replicated = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '2', ...copiesAtOnce];

/** The nightly run prints what it found, as docs/exactly-once.md has it. */
async function run(
  options: Partial<LoadOptions> & Pick<LoadOptions, 'mode' | 'redisUrls' | 'disturb'>,
): Promise<Findings> {
  const findings = await runLoad({ random: new Random(seed), orders: isNightly ? 300 : 40, ...options });
  if (isNightly)
    process.stderr.write(`${expect.getState().currentTestName}, ${options.mode}: ${JSON.stringify(findings)}\n`);
  return findings;
}

/** A control doubles effects by chance, and late on a busy machine. `start`: starts servers for each run. */
const expectDoubled = async (start: () => Promise<Parameters<typeof run>[0]>): Promise<void> =>
  expect(await isFoundWithin(async () => (await run(await start())).doubled > 0)).toBe(true);

/** A client gives up: until an operator accepts the loss, nothing is answered. */
const triesOfLoss = 8;

const accept = async ([first]: readonly StartedGateway[]): Promise<void> =>
  until('the loss to be accepted', () =>
    first!.backend.records!.acceptLoss!().then(
      () => true,
      () => false,
    ),
  );

const exactlyOnce = { doubled: 0, lost: 0, open: 0, unlisted: 0 };

/** Kills it while requests are under way, several times. */
const killing = (server: RedisServer) => async (): Promise<void> => {
  for (let kills = 0; kills < 3; kills += 1) {
    await server.kill();
    await wait(100);
    await server.restart();
    await wait(300);
  }
};

interface Fault {
  /** The mode that the short run has. */
  readonly mode: Mode;
  readonly disturb: (server: RedisServer) => Promise<void>;
}

const faults: Readonly<Record<string, Fault>> = {
  'killed, and back with its file': { mode: 'none', disturb: (server) => killing(server)() },
  'full for a while': {
    mode: 'none',
    async disturb({ raw }) {
      await raw.config('SET', 'maxmemory', '1');
      await wait(700);
      await raw.config('SET', 'maxmemory', '0');
    },
  },
  'silent for two seconds': {
    mode: 'none',
    async disturb(server) {
      server.pause();
      await wait(2_000);
      server.resume();
    },
  },
};

const modesOf = ({ mode }: Fault): readonly Mode[] => (isNightly ? ['header', 'none', 'asked'] : [mode]);

describe('one server', () => {
  const cases = Object.entries(faults).flatMap(([name, fault]) =>
    modesOf(fault).map((mode) => [name, mode, fault] as const),
  );
  testBesideOthers.each(cases)('%s, idempotency %s', async (_, mode, { disturb }) => {
    const server = stopping(await startRedis(durable));
    const findings = await run({ mode, redisUrls: [server.url, server.url], disturb: () => disturb(server) });
    expect(findings).toMatchObject(exactlyOnce);
    expect(findings.disturbed).toBeGreaterThan(0);
    if (mode !== 'none') expect(findings.unknown).toBe(0);
  });

  const emptied = async ({ raw }: RedisServer): Promise<void> => {
    for (let times = 0; times < 5; times += 1) {
      await raw.flushall();
      await wait(100);
    }
  };
  testBesideOthers('emptied again and again: the server behind knows its keys', async () => {
    const server = stopping(await startRedis(durable));
    const findings = await run({ mode: 'header', redisUrls: [server.url, server.url], disturb: () => emptied(server) });
    expect(findings).toMatchObject({ ...exactlyOnce, unknown: 0 });
  });
  testBesideOthers('emptied in front of a server that knows no keys: nothing is sent again', async () => {
    const server = stopping(await startRedis(durable));
    const findings = await run({
      ...{ mode: 'none', redisUrls: [server.url, server.url], triesMax: triesOfLoss },
      disturb: () => emptied(server),
    });
    expect(findings).toMatchObject({ doubled: 0, lost: 0 });
    expect(findings.open).toBeGreaterThan(0);
  });
  testBesideOthers('control: an operator accepts each loss', () =>
    expectDoubled(async () => {
      const server = stopping(await startRedis(durable));
      const disturb = async (gateways: readonly StartedGateway[]): Promise<void> => {
        await server.raw.flushall();
        await accept(gateways);
      };
      return { mode: 'none', redisUrls: [server.url, server.url], disturb };
    }),
  );
  testBesideOthers(
    'killed without a file, and the operator has said that it has one: nothing is sent again',
    async () => {
      const server = stopping(await startRedis({ parameters: blindUser }));
      const url = blind(server.url);
      const findings = await run({
        ...{ mode: 'none', redisUrls: [url, url], settings: believing, triesMax: triesOfLoss },
        disturb: killing(server),
      });
      expect(findings).toMatchObject({ doubled: 0, lost: 0 });
      expect(findings.open).toBeGreaterThan(0);
    },
  );
  testBesideOthers('answers are lost, and the server is asked for the outcomes', async () => {
    const server = stopping(await startRedis(durable));
    const findings = await run({ mode: 'asked', redisUrls: [server.url, server.url], disturb: async () => {} });
    expect(findings).toMatchObject({ ...exactlyOnce, unknown: 0 });
    expect(findings.disturbed).toBeGreaterThan(0);
  });
  testBesideOthers('control: answers are lost, and the server denies its effects when it is asked', () =>
    expectDoubled(async () => {
      const server = stopping(await startRedis(durable));
      const urls = [server.url, server.url];
      return { mode: 'asked', redisUrls: urls, liesAboutEffects: true, disturb: async () => {} };
    }),
  );
  testBesideOthers('control: requests without keys, which are repeated', () =>
    expectDoubled(async () => {
      const server = stopping(await startRedis(durable));
      return { mode: 'none', redisUrls: [server.url], hasKeys: false, disturb: async () => {} };
    }),
  );
});

describe('a master that is cut off while its replica is promoted', () => {
  /** One gateway still reaches the old master, the other the new one. */
  const split = async (isBlind: boolean) => {
    const parameters = isBlind ? [...blindUser, ...copiesAtOnce] : replicated;
    const master = stopping(await startRedis({ ...durable, parameters }));
    const followed = ['--replicaof', '127.0.0.1', String(master.port)];
    const replica = stopping(await startRedis({ ...durable, parameters: [...parameters, ...followed] }));
    await until('the replica', async () => /master_link_status:up/.test(await replica.raw.info('replication')));
    const urls = [master.url, replica.url];
    let lastedMs = 0;
    return {
      lastedMs: () => lastedMs,
      redisUrls: isBlind ? urls.map(blind) : urls,
      settings: isBlind ? believing : {},
      async disturb() {
        // Two halves of a store that is younger than the partition are two new stores.
        await until('the marker on the replica', async () => (await replica.raw.dbsize()) > 0);
        const start = performance.now();
        await replica.raw.replicaof('NO', 'ONE');
        await wait(isBlind ? 500 : 1_500);
        // The partition ends: what the old master alone has taken is gone.
        await master.raw.replicaof('127.0.0.1', replica.port);
        await until('the old master', async () => /master_link_status:up/.test(await master.raw.info('replication')));
        await wait(isBlind ? 200 : 500);
        // The gateway in front of the old master finds the new one, as by Sentinel.
        await replica.raw.replicaof('127.0.0.1', master.port);
        await master.raw.replicaof('NO', 'ONE');
        lastedMs = performance.now() - start;
      },
    };
  };

  testBesideOthers('takes no reservation', async () => {
    const { disturb, redisUrls, settings } = await split(false);
    const findings = await run({ mode: 'none', disturb, redisUrls, settings });
    expect(findings).toMatchObject(exactlyOnce);
    expect(findings.disturbed).toBeGreaterThan(0);
  });
  testBesideOthers('without WAIT and min-replicas-to-write, what was lost is noticed', async () => {
    // Gateways compare what they know for five seconds, and look every two: a busy machine may need longer for the partition.
    for (let runs = 1; runs <= 10; runs += 1) {
      const { lastedMs, ...deployment } = await split(true);
      const findings = await run({ mode: 'none', triesMax: triesOfLoss, ...deployment });
      if (lastedMs() > 2_500) continue;
      return expect(findings).toMatchObject({ doubled: 0, lost: 0 });
    }
    throw new Error('each partition lasted for longer than gateways compare what they know');
  });
});

describe('a replica that was behind takes over', () => {
  /** Without WAIT: its confirmation is a part of other tests. */
  const start = async (accepts: boolean) => {
    const parameters = [...blindUser, ...copiesAtOnce];
    const master = stopping(await startRedis({ ...durable, parameters }));
    const followed = ['--replicaof', '127.0.0.1', String(master.port)];
    const replica = stopping(await startRedis({ ...durable, parameters: [...parameters, ...followed] }));
    await until('the replica', async () => /master_link_status:up/.test(await replica.raw.info('replication')));
    const proxy = await openProxy(master.port);
    stopping({ stop: () => proxy.close() });
    const url = blind(`redis://127.0.0.1:${proxy.port}`);
    return {
      ...({ mode: 'none', redisUrls: [url, url], settings: believing, triesMax: accepts ? 60 : triesOfLoss } as const),
      async disturb(gateways: readonly StartedGateway[]) {
        replica.pause();
        // What the connection holds would reach the replica.
        await master.raw.call('CLIENT', 'KILL', 'TYPE', 'REPLICA');
        const before = await master.raw.dbsize();
        await until('reservations that the replica lacks', async () => (await master.raw.dbsize()) >= before + 5);
        await wait(300);
        await master.kill();
        replica.resume();
        await replica.raw.replicaof('NO', 'ONE');
        proxy.lead(replica.port);
        if (accepts) await accept(gateways);
      },
    };
  };

  testBesideOthers('nothing is sent again', async () => {
    // As many as outlast the failover.
    const findings = await run({ ...(await start(false)), orders: 300 });
    expect(findings).toMatchObject({ doubled: 0, lost: 0 });
    expect(findings.open).toBeGreaterThan(0);
  });
  testBesideOthers('control: an operator accepts the loss', () => expectDoubled(() => start(true)));
});

describe('a failover', () => {
  testBesideOthers('of Sentinel: the master is killed', async () => {
    const set = stopping(await startSentinelSet(1, { ...durable, parameters: replicated }));
    const disturb = async () => {
      const [master, replica] = set.nodes;
      await master.kill();
      await until('a new master', async () => /role:master/.test(await replica.raw.info('replication')));
      await master.restart();
      // Sentinel may go back to the old master, if it returns before all is settled.
      await until('a replica', async () => {
        const infos = await Promise.all(set.nodes.map(({ raw }) => raw.info('replication').catch(() => '')));
        return infos.some((info) => info.includes('state=online'));
      });
    };
    const findings = await run({ mode: 'none', redisUrls: [set.url, set.url], disturb });
    expect(findings).toMatchObject(exactlyOnce);
    expect(findings.disturbed).toBeGreaterThan(0);
  });

  if (isNightly)
    testBesideOthers('of a cluster of three and three: a master is killed', async () => {
      const options = { replicas: 1, nodeTimeoutMs: 1_000 };
      const cluster = stopping(await startRedisCluster(options, { ...durable, parameters: replicated }));
      const disturb = async () => {
        const [master] = cluster.nodes;
        await master!.kill();
        await wait(4_000);
        await master!.restart();
      };
      for (const mode of ['header', 'none', 'asked'] as const) {
        const findings = await run({ mode, redisUrls: [cluster.url, cluster.url], disturb });
        expect(findings).toMatchObject(exactlyOnce);
        expect(findings.disturbed).toBeGreaterThan(0);
      }
    });
});
