/** What the Redis cache costs while its server hangs, and how soon it is used again. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { clock } from '../../src/core/lib/clock.ts';
import { openRedisCache, type RedisCache } from '../../src/stores/redis/cache.ts';
import { type RedisServer, startRedis, startRedisCluster } from '../../test/support/redis.ts';
import { until } from '../../test/support/until.ts';
import { median } from '../results.ts';
import { type Budget, requireThat, timeOf } from './budget.ts';

export const redisBudgets: readonly Budget[] = [
  {
    name: 'Redis hangs: a reservation, before the circuit opens',
    max: 65,
    unit: 'ms',
    measure: () => withHungServer(async (cache) => median(await timesOfReservations(cache, 5))),
  },
  {
    name: 'Redis hangs: a reservation, with the circuit open',
    max: 5,
    unit: 'ms',
    measure: () =>
      withHungServer(async (cache) => {
        await openCircuit(cache);
        return median(await timesOfReservations(cache, 20));
      }),
  },
  {
    name: 'Redis hangs: complete, release and close together',
    max: 1_500,
    unit: 'ms',
    measure: () =>
      withHungServer((cache) =>
        timeOf(async () => {
          await cache.complete(randomUUID());
          await cache.release(randomUUID(), '0123456789abcdef');
          await cache.close();
        }),
      ),
  },
  {
    name: 'Redis answers again: until it reserves',
    max: 2_500,
    unit: 'ms',
    measure: () =>
      withHungServer(async (cache, server) => {
        await openCircuit(cache);
        server.resume();
        return timeOf(() => untilReserved(cache));
      }),
  },
  {
    name: 'A cluster node is lost: a reservation of its keys',
    max: 100,
    unit: 'ms',
    measure: measureLostNode,
  },
];

async function openCache(url: string, commandMsMax?: number): Promise<RedisCache> {
  const cache = openRedisCache({ url, clock, ...(commandMsMax !== undefined && { commandMsMax }) });
  await until('the cache to be up', () => cache.state() === 'up');
  return cache;
}

async function withHungServer(measure: (cache: RedisCache, server: RedisServer) => Promise<number>): Promise<number> {
  const server = await startRedis();
  const cache = await openCache(server.url);
  server.pause();
  try {
    return await measure(cache, server);
  } finally {
    server.resume();
    await cache.close();
    await server.stop();
  }
}

async function openCircuit(cache: RedisCache): Promise<void> {
  await until('the circuit to open', async () => {
    await cache.reserve(randomUUID());
    return cache.state() === 'down';
  });
}

async function timesOfReservations(cache: RedisCache, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let done = 0; done < count; done += 1)
    times.push(
      await timeOf(async () => {
        const { kind } = await cache.reserve(randomUUID());
        requireThat(kind === 'unknown', `a server that hangs answers ${kind}`);
      }),
    );
  return times;
}

async function untilReserved(cache: RedisCache): Promise<void> {
  await until('a reservation', async () => (await cache.reserve(randomUUID())).kind === 'reserved');
}

/** The first requests after the loss, while the client learns of it. */
async function measureLostNode(): Promise<number> {
  const cluster = await startRedisCluster();
  const cache = await openCache(cluster.url, 500);
  try {
    await cluster.nodes[0]!.kill();
    const times: number[] = [];
    while (times.length < 20) {
      const startedAt = performance.now();
      const { kind } = await cache.reserve(randomUUID());
      if (kind === 'unknown') times.push(performance.now() - startedAt);
      await wait(1);
    }
    return median(times);
  } finally {
    await cache.close();
    await cluster.stop();
  }
}
