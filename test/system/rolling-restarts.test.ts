/** Tests rolling restarts of two processes behind a proxy: no request fails under load. `npm run restarts` does more. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type HaProxy, startHaProxy } from '../support/haproxy.ts';
import { freePort } from '../support/listen-locally.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTraffic, type Traffic } from '../support/traffic.ts';
import { isFoundWithin, until } from '../support/until.ts';

const restarts = Number(process.env.RESTARTS ?? 2);

interface Place {
  readonly port: number;
  readonly adminPort: number;
  server: Server;
}

const folder = tempFolder();
let postgres: Postgres;
let production: Production;
let database: string;
let places: readonly [Place, Place];
let proxy: HaProxy;
let traffic: Traffic;
const started: Server[] = [];

const nextRelease = join(import.meta.dirname, '../support/server-of-next-release.ts');

/** `release`: 1 is the present program. */
const startAt = async (port: number, adminPort: number, release = 1): Promise<Server> => {
  const variables = {
    ...production.variables,
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    DRAIN_NOTICE_MS: '2000',
    TRUSTED_PROXIES: '127.0.0.1',
    RELEASE: String(release),
  };
  const server = await startServer('serve', folder.path, variables, release === 1 ? {} : { file: nextRelease });
  started.push(server);
  return server;
};

/** What the servers logged as their own failures. */
const errors = (): readonly string[] =>
  started.flatMap((server) => server.output().split('\n')).filter((line) => line.includes('"level":"error"'));

const place = async (): Promise<Place> => {
  const [port, adminPort] = [await freePort(), await freePort()];
  return { port, adminPort, server: await startAt(port, adminPort) };
};

beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.createMigratedDatabase();
  production = await prepareProduction(folder.path, { DATABASE_URL: database });
});
const startLoad = async (): Promise<void> => {
  const { username, secret } = production.credential;
  traffic = startTraffic({
    origin: proxy.origin,
    authorization: basic(username, secret),
    merchantAccount: 'AcmeWeb',
    callers: 6,
    pauseMs: 150,
  });
  await until('traffic', () => traffic.right() > 50);
};

beforeEach(async () => {
  places = [await place(), await place()];
  proxy = await startHaProxy(places);
  await startLoad();
});
afterEach(async () => {
  await traffic.stop();
  await proxy.close();
  await Promise.all(places.map(({ server }) => server.stop()));
});
afterAll(async () => {
  await postgres.discard();
  folder.discard();
});

/** Ends a server. Returns whether the proxy had noticed before, as it does within DRAIN_NOTICE_MS unless the machine is starved. */
const stopNoticed = async (at: number): Promise<boolean> => {
  let hasEnded = false;
  const stopped = places[at]!.server.stop().finally(() => {
    hasEnded = true;
  });
  let noticed = false;
  await until('the end of the server', async () => {
    noticed ||= !hasEnded && (await proxy.isDown(at));
    return noticed || hasEnded;
  });
  expect(await stopped).toBe(0);
  return noticed;
};

/** Restarts a server that has ended and waits until it takes traffic. */
const again = async (at: number, release?: number): Promise<void> => {
  const ended = places[at]!;
  ended.server = await startAt(ended.port, ended.adminPort, release);
  await until('the proxy to have it up', () => proxy.isUp(at));
  const before = traffic.right();
  await until('traffic', () => traffic.right() > before + 30);
};

/** The number of idempotency records, details and disabled details. */
const count = async () => {
  const [counted] = await postgres.ask(
    `select (select count(*)::int from idempotency_record) as keys, (select count(*)::int from stored_detail) as details,
     (select count(*)::int from stored_detail where disabled_at is not null) as disabled`,
    [],
    database,
  );
  return counted as { keys: number; details: number; disabled: number };
};

/** On a starved machine checks of a running server time out, or the proxy notices too late that one ends: that proves nothing. */
const attemptsMax = 4;

test(`${restarts} rolling restarts at load: no failed request`, async () => {
  let before = { keys: 0, details: 0, disabled: 0 };
  for (let attempt = 1; ; attempt += 1) {
    const downBefore = await proxy.timesDown();
    let wasNoticed = true;
    for (let done = 0; done < restarts; done += 1) {
      const at = done % places.length;
      wasNoticed = (await stopNoticed(at)) && wasNoticed;
      await again(at);
    }
    await traffic.stop();
    const wasStarved = !wasNoticed || (await proxy.timesDown()) > downBefore + restarts;
    if (traffic.failures.length === 0 || !wasStarved || attempt === attemptsMax) break;
    // Both servers must be up before the next attempt.
    await until('the proxy to have both up', async () => (await proxy.isUp(0)) && (await proxy.isUp(1)));
    before = await count();
    await startLoad();
  }
  expect({ failed: traffic.failures, logged: errors() }).toEqual({ failed: [], logged: [] });
  const shoppers = traffic.shoppers();
  expect(await count()).toEqual({
    keys: before.keys + 2 * shoppers,
    details: before.details + shoppers,
    disabled: before.disabled + shoppers,
  });
  // The proxy noticed each restart in advance, so it resent nothing.
  if (process.env.RESTARTS !== undefined)
    process.stderr.write(
      `${restarts} restarts, ${traffic.right()} requests, 0 failed, ${await proxy.resent()} sent again by the proxy\n`,
    );
});

test('SIGKILL in place of SIGTERM fails requests (control)', async () => {
  let kills = 0;
  const failsRequests = async () => {
    const at = kills++ % places.length;
    await places[at]!.server.kill();
    await again(at);
    return traffic.failures.length > 0;
  };
  expect(await isFoundWithin(failsRequests)).toBe(true);
});

// The last one: it leaves the database to a later release.
test('an upgrade at load: servers of two releases serve one database, and no request fails', async () => {
  for (let release = 2; ; release += 1) {
    const downBefore = await proxy.timesDown();
    let wasNoticed = true;
    // The first of the next release migrates, while the other goes on.
    for (const at of places.keys()) {
      wasNoticed = (await stopNoticed(at)) && wasNoticed;
      await again(at, release);
    }
    await traffic.stop();
    const [rows] = await postgres.ask(
      `select count(origin_${release})::int as filled, count(*)::int as details, (select count(*)::int from note_${release}) as notes
           from stored_detail`,
      [],
      database,
    );
    expect(rows).toMatchObject({ notes: 0 });
    const { filled, details } = rows as { filled: number; details: number };
    expect(filled).toBeGreaterThan(0);
    // Rows of after the migration are not filled, whichever server has written them.
    expect(details).toBeGreaterThan(filled);
    const wasStarved = !wasNoticed || (await proxy.timesDown()) > downBefore + places.length;
    if (traffic.failures.length === 0 || !wasStarved || release > attemptsMax) break;
    await until('the proxy to have both up', async () => (await proxy.isUp(0)) && (await proxy.isUp(1)));
    await startLoad();
  }
  expect({ failed: traffic.failures, logged: errors() }).toEqual({ failed: [], logged: [] });
  // A server of the release before does not start any more.
  await expect(startAt(await freePort(), await freePort())).rejects.toThrow('start the newer program');
});
