/** Tests idempotency of payment instruments across two processes: creation, activation and cancellation. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Variables } from '../support/commands.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type ProductionPlatform, prepareProductionPlatform, sendJson } from '../support/production-platform.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { cardFor } from '../support/seeded-platform.ts';
import { prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let postgres: Postgres;
let redis: RedisServer;
let database: string;
let variables: Variables;
let platform: ProductionPlatform;
beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  database = await postgres.createMigratedDatabase();
  const production = await prepareProduction(folder.path, { DATABASE_URL: database });
  variables = production.variables;
  platform = await prepareProductionPlatform(folder.path, production);
});
afterAll(async () => {
  await Promise.all([redis.stop(), postgres.discard()]);
  folder.discard();
});

const counts = async (): Promise<unknown> => {
  const text =
    'select (select count(*)::int from idempotency_record) as keys, (select count(*)::int from payment_instrument) as instruments';
  return (await postgres.ask(text, [], database))[0];
};

type Asked = Parameters<typeof sendJson>[1];

test.each([
  { name: 'with Redis', redisUrl: () => redis.url, keys: 3, instruments: 1 },
  { name: 'without Redis, by idempotency records alone', redisUrl: () => undefined, keys: 6, instruments: 2 },
])('$name', async ({ redisUrl, keys, instruments }) => {
  const url = redisUrl();
  const own = { ...variables, ...(url !== undefined && { REDIS_URL: url }) };
  const servers: Server[] = [];
  try {
    for (let count = 0; count < 2; count += 1) servers.push(await startServer('serve', folder.path, own));
    const [one, other] = servers as [Server, Server];
    /** Sends a request to one server, then retries at the other and at both concurrently; returns the id. */
    const once = async (asked: Asked): Promise<string> => {
      const headers = { Authorization: platform.authorization, 'Idempotency-Key': randomUUID() };
      const first = await sendJson(one.callers, asked, headers);
      expect({ status: first.status, replayed: first.headers.get('idempotent-replayed') }).toEqual({
        status: 200,
        replayed: null,
      });
      const again = [await sendJson(other.callers, asked, headers)];
      again.push(...(await Promise.all([one, other].map(({ callers }) => sendJson(callers, asked, headers)))));
      for (const { status, text, headers: received } of again) {
        expect({ status, text }).toEqual({ status: 200, text: first.text });
        expect(received.get('idempotent-replayed')).toBe('true');
        for (const header of ['etag', 'pspreference']) expect(received.get(header)).toBe(first.headers.get(header));
      }
      const otherwise = await sendJson(
        other.callers,
        [asked[0], asked[1], { ...asked[2], statusReason: 'lost' }],
        headers,
      );
      expect(JSON.parse(otherwise.text)).toMatchObject({ status: 422, errorCode: '704' });
      return JSON.parse(first.text).id;
    };
    const id = await once(['POST', '/paymentInstruments', cardFor(platform.balanceAccountId, { status: 'inactive' })]);
    expect(await once(['PATCH', `/paymentInstruments/${id}`, { status: 'active' }])).toBe(id);
    expect(await once(['POST', `/paymentInstruments/${id}/cancel`, {}])).toBe(id);
    expect(await counts()).toEqual({ keys, instruments });
  } finally {
    for (const server of servers) await server.stop();
  }
});
