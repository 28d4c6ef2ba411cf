/** Quotas of two processes that share a Redis: they count together, and each alone while Redis is gone. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLimits } from '../../src/access/limits/limits.ts';
import type { Quota } from '../../src/access/limits/quota.ts';
import { redisCountsOn } from '../../src/access/limits/redis-counts.ts';
import { clock } from '../../src/core/lib/clock.ts';
import { openRedisCache, type RedisCache } from '../../src/stores/redis/cache.ts';
import {
  type RedisCluster,
  type RedisServer,
  startRedis,
  startRedisCluster,
  startSentinelSet,
} from '../support/redis.ts';
import { until } from '../support/until.ts';

let server: RedisServer;
let cluster: RedisCluster;
beforeAll(async () => {
  [server, cluster] = await Promise.all([startRedis(), startRedisCluster()]);
});

const caches: RedisCache[] = [];
afterAll(async () => {
  await Promise.all(caches.map((cache) => cache.close()));
  await Promise.all([server.stop(), cluster.stop()]);
});

const openProcess = async (url: string, name: string): Promise<{ quota: Quota; cache: RedisCache }> => {
  const cache = openRedisCache({ url, clock, commandMsMax: 10_000 });
  caches.push(cache);
  await until('the connection to be up', () => cache.state() === 'up');
  const limits = createLimits(clock, (text) => Buffer.from(text).toString('base64url'));
  limits.share(await redisCountsOn(cache.client));
  return { cache, quota: limits.quota({ name, max: 6, windowMs: 600_000 }) };
};

test.each([
  ['one server', () => server.url],
  ['a cluster', () => cluster.url],
])('on %s: the sum of both processes blocks each with its next event', async (_, url) => {
  const one = await openProcess(url(), 'sum');
  const other = await openProcess(url(), 'sum');
  const count = ({ quota }: { quota: Quota }, member: string) => {
    void quota.count('a', { member });
    void quota.count(member);
  };
  for (const member of ['1', '2', '3', '4']) count(one, member);
  // Members that the first process has counted do not count again.
  for (const member of ['1', '2', '5']) count(other, member);
  // Nothing tells that no block will follow.
  await setTimeout(100);
  expect(other.quota.blockedMs('a')).toBe(0);
  count(other, '6');
  await until('the other to be blocked', () => other.quota.blockedMs('a') > 0);
  expect(other.quota.blockedMs('a')).toBeGreaterThan(500_000);
  expect(one.quota.blockedMs('a')).toBe(0);
  void one.quota.count('a', { member: '7' });
  await until('the first to be blocked', () => one.quota.blockedMs('a') > 0);
  expect(one.quota.blockedMs('1')).toBe(0);
});

test('keys expire, and hold no text of callers', async () => {
  const { quota } = await openProcess(server.url, 'expiry');
  void quota.count('ws@Company.Demo', { member: 'm' });
  let keys: readonly string[] = [];
  await until('both keys to be there', async () => {
    keys = await server.raw.keys('limit:v1:expiry*');
    return keys.length === 2;
  });
  for (const key of keys) {
    expect(key).not.toContain('Demo');
    expect(await server.raw.pttl(key)).toBeGreaterThan(0);
  }
});

test('without Redis each process blocks by its own count', async () => {
  const gone = await startRedis();
  const { quota, cache } = await openProcess(gone.url, 'alone');
  await gone.stop();
  await until('the connection to be down', () => cache.state() === 'down');
  for (let event = 0; event < 5; event++) void quota.count('a');
  expect(quota.blockedMs('a')).toBe(0);
  void quota.count('a');
  expect(quota.blockedMs('a')).toBeGreaterThan(0);
});

test.each([
  ['Sentinel', () => startSentinelSet(3)],
  ['a cluster with replicas', () => startRedisCluster({ replicas: 1, nodeTimeoutMs: 1_000 })],
])(
  'while %s fails over each process blocks by its own count, and they count together again afterwards',
  async (_, start) => {
    const redis = await start();
    try {
      const one = await openProcess(redis.url, 'failover');
      const other = await openProcess(redis.url, 'failover');
      const caches = [one.cache, other.cache];
      const masters: RedisServer[] = [];
      for (const node of redis.nodes) if (/role:master/.test(await node.raw.info('replication'))) masters.push(node);
      for (const master of masters) master.pause();
      // With a command of each process, as requests would send them.
      await until('the processes to be alone', async () => {
        for (const cache of caches) await cache.reserve(`key ${Math.random()}`);
        return caches.every((cache) => cache.state() === 'down');
      });
      for (let event = 0; event < 5; event++) for (const { quota } of [one, other]) void quota.count('meanwhile');
      // Nothing tells that no block will follow.
      await setTimeout(100);
      expect([one, other].map(({ quota }) => quota.blockedMs('meanwhile'))).toEqual([0, 0]);
      void one.quota.count('meanwhile');
      expect(one.quota.blockedMs('meanwhile')).toBeGreaterThan(0);
      expect(other.quota.blockedMs('meanwhile')).toBe(0);
      // Replicas cannot elect one of themselves while most masters are away.
      for (const master of masters.slice(1)) master.resume();
      let member = 0;
      await until('the sum to block the other', async () => {
        for (const cache of caches) await cache.reserve(`key ${Math.random()}`);
        // Five of a key block no process by itself.
        member += 1;
        for (let event = 0; event < 3; event++)
          for (const { quota } of [one, other]) void quota.count(`afterwards ${member}`);
        await setTimeout(50);
        void one.quota.count(`afterwards ${member}`);
        void other.quota.count(`afterwards ${member}`);
        await setTimeout(50);
        return [one, other].every(({ quota }) => quota.blockedMs(`afterwards ${member}`) > 0);
      });
    } finally {
      await redis.stop();
    }
  },
);
