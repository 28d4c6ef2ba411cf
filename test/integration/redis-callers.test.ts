/** Callers and deprecations in Redis: the suites of every store, on a server and on a cluster, and what only Redis does. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuditEvent } from '../../src/access/audit/audit-event.ts';
import { noAuditTrail } from '../../src/access/audit/audit-trail.ts';
import { clock } from '../../src/core/lib/clock.ts';
import { idOf } from '../../src/insight/callers/caller-record.ts';
import { createRedisCallerRecords } from '../../src/insight/callers/redis/caller-records.ts';
import { createRedisDeprecations } from '../../src/insight/callers/redis/deprecations.ts';
import { createCallerKeys } from '../../src/insight/callers/redis/keys.ts';
import { createRedisComparisons, createRedisOwners } from '../../src/insight/callers/redis/open.ts';
import { RecordCommands } from '../../src/stores/redis/record-commands.ts';
import { type RedisServer, startRedis, startRedisCluster } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { describeStoredCallers } from './caller-records.ts';
import type { CallerStores } from './caller-stores.ts';
import { describeStoredDeprecations } from './deprecations.ts';
import { describeOwners } from './owners.ts';

const dayMs = 86_400_000;
const lifeMs = 90 * dayMs;

const connect = async (url: string, servers: readonly RedisServer[]): Promise<RecordCommands> => {
  const commands = new RecordCommands({
    url,
    clock,
    inspect: async () => ({ faults: [], replicas: 0, toFiles: false }),
  });
  await until('Redis to answer', () => commands.isUp);
  await Promise.all(servers.map(({ raw }) => raw.flushall().catch(() => {})));
  return commands;
};

const open = async (url: string, servers: readonly RedisServer[]): Promise<CallerStores> => {
  const commands = await connect(url, servers);
  const parts = { commands, keys: createCallerKeys('test') };
  return {
    records: (limits) => createRedisCallerRecords({ ...parts, lifeMs }, limits),
    owners: (given) => createRedisOwners({ ...parts, clock: given }),
    comparisons: (given) => createRedisComparisons({ ...parts, clock: given }),
    deprecations: (given) => createRedisDeprecations({ ...parts, clock: given, audit: noAuditTrail }),
    close: () => commands.close(),
  };
};

const describeAll = (openStores: () => Promise<CallerStores>): void => {
  describeStoredCallers(openStores);
  describeOwners(openStores);
  describeStoredDeprecations(openStores);
};

describe('on a cluster', () => {
  let cluster: Awaited<ReturnType<typeof startRedisCluster>>;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster.stop());

  describeAll(() => open(cluster.url, cluster.nodes));
});

describe('on one server', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  describeAll(() => open(server.url, [server]));

  const use = { tenant: '', credential: 'c1', service: 'S', operation: 'o', version: 1, format: 'json', client: 'x' };
  const at = 20_500 * dayMs;
  const days = [{ day: 20_500, succeeded: 1, refused: 0, failed: 0, switchedOff: 0, exempt: 0 }];
  const update = { id: idOf(use), use, firstUsedAt: at, lastUsedAt: at, lastOutcome: 'ok', days };

  test('a batch that is sent again, since its answer was lost, is counted once', async () => {
    const commands = await connect(server.url, [server]);
    const sentTwice: Pick<RecordCommands, 'run'> = {
      run: (send) =>
        commands.run(async (client) => {
          await send(client);
          return send(client);
        }),
    };
    const keys = createCallerKeys('test');
    const records = createRedisCallerRecords({ commands: sentTwice, keys, lifeMs });
    await records.add([update]);
    expect((await records.listDays([update], 0)).get(update.id)).toEqual(days);
    const deprecations = createRedisDeprecations({ commands: sentTwice, keys, clock, audit: noAuditTrail });
    await deprecations.add({ format: 'soap11', deprecatedSince: '2026-12-01' }, { type: 'user', name: 'anna' });
    expect(await deprecations.load()).toMatchObject({ revision: 1, deprecations: [{ revision: 1 }] });
    // Control: two batches count twice.
    await records.add([update]);
    expect((await records.listDays([update], 0)).get(update.id)).toMatchObject([{ succeeded: 2 }]);
    await commands.close();
  });

  test('records and counts have an end, and deprecations have none', async () => {
    const stores = await open(server.url, [server]);
    await stores.records().add([{ ...update, request: { keyId: 'k', dataKey: 'd', payload: 'p' } }]);
    await stores
      .deprecations(clock)
      .add({ format: 'form', deprecatedSince: '2026-12-01' }, { type: 'user', name: 'a' });
    await stores.owners(clock).set({ credential: 'c1', name: 'Anna', address: 'a@example.com', setBy: 'user a' });
    const keys = await server.raw.keys('callers:*');
    const lives = await Promise.all(
      keys.map(async (key) => [key.replace(/.*}:/, ''), await server.raw.pttl(key)] as const),
    );
    const endless = lives.flatMap(([name, ms]) => (ms === -1 ? [name] : []));
    expect(endless.toSorted()).toEqual(['deprecations', 'owners']);
    const recorded = lives.filter(([name]) => !/^batch:|^deprecations|^owners/.test(name));
    expect(recorded.map(([name]) => name).toSorted()).toEqual(
      ['credentials', 'day:20500', 'days', 'lastUses', 'records', 'requests'].toSorted(),
    );
    for (const [, ms] of recorded) expect(ms).toBeGreaterThan(lifeMs - dayMs);
    await stores.close();
  });

  test('a record and a day of it take so many bytes of memory', async () => {
    const commands = await connect(server.url, [server]);
    const records = createRedisCallerRecords({ commands, keys: createCallerKeys('a'.repeat(43)), lifeMs });
    const bytes = async () => Number(/used_memory:(\d+)/.exec(await server.raw.info('memory'))?.[1]);
    const count = 2_000;
    const fill = async (daysOfEach: number): Promise<number> => {
      const before = await bytes();
      for (let from = 0; from < count; from += 100)
        await records.add(
          Array.from({ length: 100 }, (_, n) => {
            const credential = `up_${String((from + n) % 300).padStart(40, 'a')}`;
            const own = { ...use, credential, client: `PHP-SOAP/8.2.7, SOAPAction quoted ${from + n}` };
            const counted = Array.from({ length: daysOfEach }, (__, day) => ({ ...days[0]!, day, succeeded: 1_234 }));
            return { ...update, id: idOf(own), use: own, days: counted };
          }),
        );
      return ((await bytes()) - before) / count;
    };
    // docs/callers.md
    expect(await fill(0)).toBeLessThan(600);
    expect((await fill(20)) / 20).toBeLessThan(130);
    await commands.close();
  });

  test('gateways of another scope see nothing of each other', async () => {
    const commands = await connect(server.url, [server]);
    const recordsOf = (scope: string) => createRedisCallerRecords({ commands, keys: createCallerKeys(scope), lifeMs });
    await recordsOf('one').add([update]);
    expect(await recordsOf('one').listUses(0)).toHaveLength(1);
    expect(await recordsOf('other').listUses(0)).toEqual([]);
    await commands.close();
  });

  test('the audit log has each change, and no refused one', async () => {
    const commands = await connect(server.url, [server]);
    const events: AuditEvent[] = [];
    const audit = { append: async (added: readonly AuditEvent[]) => void events.push(...added) };
    const store = createRedisDeprecations({ commands, keys: createCallerKeys('test'), clock, audit });
    const anna = { type: 'user', name: 'anna' } as const;
    const id = await store.add({ format: 'soap11', deprecatedSince: '2026-12-01', except: ['cr_a'] }, anna);
    await store.exempt(id, 'cr_b', anna);
    await store.remove(id, anna);
    await expect(store.remove(id, anna)).rejects.toMatchObject({ reason: 'unknown' });
    expect(events.map(({ kind, subject, detail }) => [kind, subject, detail])).toMatchObject([
      ['deprecationAdded', id, { calls: 'format soap11', exempt: 'cr_a' }],
      ['exemptionAdded', id, { credential: 'cr_b' }],
      ['deprecationRemoved', id, { calls: 'format soap11' }],
    ]);
    await commands.close();
  });
});
