/** Tests requests under load while Redis is killed or unresponsive. `npm run outage` makes the outage last 30 s. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { basic, prepareProduction, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTraffic, type Timed } from '../support/traffic.ts';
import { until } from '../support/until.ts';

const { OUTAGE_MS } = process.env;
const outageMs = Number(OUTAGE_MS ?? 3_000);
/** The times of a long outage are printed. Otherwise the load is what shows failed requests, and no more. */
const { pauseMs, aroundMs } =
  OUTAGE_MS === undefined ? { pauseMs: 150, aroundMs: 100 } : { pauseMs: 40, aroundMs: 1_500 };
/** Each of two servers probes Redis once a second while the circuit is open. */
const probesIn = (ms: number): number => 2 * (3 + ms / 1_000);

let postgres: Postgres;
let redis: RedisServer;
beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
});
afterAll(() => Promise.all([redis.stop(), postgres.discard()]));

const quantile = (sorted: readonly number[], part: number): number => sorted[Math.floor(part * (sorted.length - 1))]!;

const timesBetween = (answered: readonly Timed[], from: number, to: number) => {
  const sorted = answered
    .filter(({ at }) => at >= from && at < to)
    .map(({ ms }) => ms)
    .sort((one, other) => one - other);
  return { count: sorted.length, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: sorted.at(-1)! };
};

const ways = {
  killed: { begin: () => redis.kill(), end: () => redis.restart() },
  silent: { begin: async () => redis.pause(), end: async () => redis.resume() },
} as const;

describe.each(Object.keys(ways) as (keyof typeof ways)[])('Redis %s', (way) => {
  test(`for ${outageMs} ms under load: no request fails, and the cache comes back`, async () => {
    const folder = tempFolder();
    const database = await postgres.createMigratedDatabase();
    const { variables, credential } = await prepareProduction(folder.path, {
      DATABASE_URL: database,
      REDIS_URL: redis.url,
    });
    const servers = await Promise.all([0, 1].map(() => startServer('serve', folder.path, variables)));
    const redisStates = () =>
      Promise.all(
        servers.map(async ({ admin }) => {
          const metrics = await (await fetch(`${admin}/metrics`)).text();
          return /^triglyph_redis_up (\d)$/m.exec(metrics)?.[1];
        }),
      );
    const failedCommands = async () => {
      const pages = await Promise.all(servers.map(async ({ admin }) => (await fetch(`${admin}/metrics`)).text()));
      const counts = pages.map((page) => /^triglyph_redis_events_total\{kind="failed"\} (\d+)$/m.exec(page)?.[1]);
      return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
    };
    const load = servers.map(({ callers }) =>
      startTraffic({
        origin: callers,
        authorization: basic(credential.username, credential.secret),
        merchantAccount: 'AcmeWeb',
        callers: 4,
        pauseMs,
      }),
    );
    const answeredSince = (from: number) => load.flatMap(({ answered }) => answered.filter(({ at }) => at >= from));
    await until('traffic', () => load.every((each) => each.right() > 20));
    expect(await redisStates()).toEqual(['1', '1']);

    const startedAt = performance.now();
    await setTimeout(aroundMs);
    const lostAt = performance.now();
    await ways[way].begin();
    await until('the cache to be down', async () => (await redisStates()).join() === '0,0');
    const failedBefore = await failedCommands();
    await setTimeout(outageMs - (performance.now() - lostAt));
    const answersDuringOutage = () => answeredSince(lostAt + 1_000).length;
    // Enough that a command of each would exceed the probes.
    await until('answers', () => answersDuringOutage() > 2 * probesIn(performance.now() - lostAt));
    const failedMeanwhile = (await failedCommands()) - failedBefore;
    const probesMax = probesIn(performance.now() - lostAt);
    const backAt = performance.now();
    await ways[way].end();
    await until('the cache to be up', async () => (await redisStates()).join() === '1,1');
    const upAt = performance.now();
    await setTimeout(aroundMs);
    for (const each of load) await each.stop();
    const endedAt = performance.now();

    expect(load.flatMap(({ failures }) => failures)).toEqual([]);
    const answered = load.flatMap((each) => each.answered);
    const before = timesBetween(answered, startedAt, lostAt);
    const figures = {
      way,
      before,
      firstSecond: timesBetween(answered, lostAt, lostAt + 1_000),
      later: timesBetween(answered, lostAt + 1_000, backAt),
      after: timesBetween(answered, upAt, endedAt),
      upAgainMs: Math.round(upAt - backAt),
    };
    if (OUTAGE_MS !== undefined) process.stderr.write(`${JSON.stringify(figures)}\n`);
    // With the circuit open requests do not ask Redis; otherwise half of them would wait for a time-out.
    expect(failedMeanwhile).toBeLessThanOrEqual(probesMax);

    const shoppers = load.reduce((sum, each) => sum + each.shoppers(), 0);
    const [counted] = await postgres.ask(
      `select (select count(*)::int from idempotency_record) as keys, (select count(*)::int from stored_detail) as details,
        (select count(*)::int from stored_detail where disabled_at is not null) as disabled`,
      [],
      database,
    );
    expect(counted).toEqual({ keys: 2 * shoppers, details: shoppers, disabled: shoppers });
    for (const server of servers) expect(await server.stop()).toBe(0);
    folder.discard();
  });
});
