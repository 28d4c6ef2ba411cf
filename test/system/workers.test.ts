/** Tests several workers on one port: the primary's admin port, and requests while workers are lost or replaced. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { adminStatus } from '../support/admin-request.ts';
import { triglyph, type Variables } from '../support/commands.ts';
import { type HeldRequest, holdRequest } from '../support/held-request.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTraffic, type Traffic } from '../support/traffic.ts';
import { until } from '../support/until.ts';

const workers = 2;
const folder = tempFolder();
let postgres: Postgres;
let redis: RedisServer;
let database: string;
let production: Production;
let authorization: string;
beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  database = await postgres.createMigratedDatabase();
  production = await prepareProduction(folder.path, { DATABASE_URL: database, REDIS_URL: redis.url });
  authorization = basic(production.credential.username, production.credential.secret);
});
afterAll(async () => {
  await Promise.all([redis.stop(), postgres.discard()]);
  folder.discard();
});

let server: Server | undefined;
let underway: Traffic | undefined;
afterEach(async () => {
  await underway?.stop();
  await server?.stop();
  server = undefined;
});

const start = async (also: Variables = {}): Promise<Server> => {
  const variables = { ...production.variables, WORKERS: String(workers), ...also };
  server = await startServer('serve', folder.path, variables);
  return server;
};

const load = ({ callers }: Server, retriesMax = 0): Traffic => {
  const begun = startTraffic({
    origin: callers,
    authorization,
    merchantAccount: 'AcmeWeb',
    callers: 8,
    retriesMax,
    pauseMs: 60,
  });
  underway = begun;
  return begun;
};

/** The running child processes, the oldest first. */
const childrenOf = (pid: number): readonly number[] => {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
};

const workersOf = async ({ pid }: Pick<Server, 'pid'>): Promise<readonly number[]> => childrenOf(pid);

/** Waits until a starting server has the given number of workers. */
const startingWorkers = async (count: number): Promise<readonly number[]> => {
  let found: readonly number[] = [];
  await until(`${count} workers`, () => {
    const primary = childrenOf(process.pid).find((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0serve'),
    );
    found = primary === undefined ? [] : childrenOf(primary);
    return found.length === count;
  });
  return found;
};

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

/** Reads the body, because an unread body holds its connection and the admin port has few. */
const statusOf = async (url: string): Promise<number> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(20_000) });
  await response.arrayBuffer();
  return response.status;
};

/** The sum of a metric over its labels. */
const sumOf = (metrics: string, name: string): number =>
  [...metrics.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm'))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );

/** The number of shoppers of all traffic so far. */
let shoppers = 0;

/** Each shopper has two idempotency records, one per key, and one disabled detail. */
const proveEffects = async (traffic: Traffic): Promise<void> => {
  shoppers += traffic.shoppers();
  const [counted] = await postgres.ask(
    `select (select count(*)::int from idempotency_record) as keys, (select count(*)::int from stored_detail) as details,
      (select count(*)::int from stored_detail where disabled_at is not null) as disabled`,
    [],
    database,
  );
  expect(counted).toEqual({ keys: 2 * shoppers, details: shoppers, disabled: shoppers });
};

test('two workers serve one port; the primary aggregates their metrics behind its token, and log lines stay whole', async () => {
  const token = 'correct-horse-battery';
  const running = await start({ ADMIN_TOKEN: token });
  const [one, other, ...more] = await workersOf(running);
  expect([one, other, more]).toEqual([expect.any(Number), expect.any(Number), []]);
  expect(await statusOf(`${running.admin}/readyz`)).toBe(200);
  const traffic = load(running);
  await until('enough traffic', () => traffic.right() >= 100);
  await traffic.stop();
  expect(traffic.failures).toEqual([]);
  await proveEffects(traffic);
  const withToken = { Authorization: `Bearer ${token}` };
  const metrics = await (await fetch(`${running.admin}/metrics`, { headers: withToken })).text();
  expect(sumOf(metrics, 'triglyph_requests_total')).toBe(traffic.right());
  expect(metrics).toMatch(/^triglyph_redis_up 1$/m);
  const statuses = [
    await adminStatus(running.admin, '/readyz'),
    await adminStatus(running.admin, '/metrics'),
    await adminStatus(running.admin, '/metrics', withToken),
    await adminStatus(running.admin, '/metrics', { ...withToken, Host: 'rebound.example.com' }),
    await adminStatus(running.admin, '/metrics', { ...withToken, Origin: 'https://evil.example' }),
  ];
  expect(statuses).toEqual([200, 401, 200, 403, 403]);
  expect(await running.stop()).toBe(0);
  // Every request has a log line, although several processes write to one pipe.
  const lines = running
    .output()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ operation }) => operation !== undefined)).toHaveLength(traffic.right());
});

/** The server waits longer with each start. */
const killsMax = 7;

test('a killed worker is replaced, and a request retried with its key has one effect', async () => {
  const running = await start();
  const traffic = load(running, 100);
  let kills = 0;
  // The kills have to interrupt requests; otherwise the test would prove nothing.
  for (; kills < 2 || (traffic.lost() === 0 && kills < killsMax); kills += 1) {
    const before = traffic.right();
    await until('traffic', () => traffic.right() > before + 30);
    const [victim] = await workersOf(running);
    process.kill(victim!, 'SIGKILL');
    await until('the victim to be gone', () => isGone(victim!));
    await until('another one', () => running.output().match(/worker \d+ serves/g)?.length === workers + kills + 1);
  }
  await traffic.stop();
  expect(traffic.failures).toEqual([]);
  expect(traffic.lost()).toBeGreaterThan(0);
  await proveEffects(traffic);
  expect(running.output().match(/worker \d+ ended with SIGKILL/g)).toHaveLength(kills);
  await until('readiness', async () => (await statusOf(`${running.admin}/readyz`)) === 200);
});

test('a worker that hangs is replaced while the others answer; then SIGTERM drains all workers', async () => {
  const running = await start({ DRAIN_NOTICE_MS: '6000' });
  const [victim] = await workersOf(running);
  process.kill(victim!, 'SIGSTOP');
  const request = () =>
    fetch(`${running.callers}/pal/servlet/Recurring/v25/listRecurringDetails`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: authorization, Connection: 'close' },
      body: JSON.stringify({ merchantAccount: 'AcmeWeb', shopperReference: 'unknown-shopper' }),
    }).then(({ status }) => status);
  // One connection may be on its way to a worker when it stops.
  const answers = Array.from({ length: 20 }, request);
  const all = Promise.all(answers);
  let answered = 0;
  for (const answer of answers) void answer.then(() => answered++);
  const readiness: number[] = [];
  const probing = (async () => {
    while (!isGone(victim!)) {
      readiness.push(await statusOf(`${running.admin}/readyz`));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  await until('the answers of the other worker', () => answered >= answers.length - 1);
  await probing;
  // Control: the worker hung for long, so that the probes met it.
  expect(readiness.length).toBeGreaterThan(2);
  expect(new Set(readiness)).toEqual(new Set([200]));
  expect(running.output()).toContain(`worker ${victim} does not answer and is killed`);
  await until('another one', async () => (await workersOf(running)).length === workers);
  expect(await all).toEqual(answers.map(() => 200));

  const pids = await workersOf(running);
  const over = running.stop();
  await until('the notice', async () => (await statusOf(`${running.admin}/readyz`)) === 503);
  // A caller that has not noticed yet is still answered.
  expect(await request()).toBe(200);
  expect(await over).toBe(0);
  expect(pids.map(isGone)).toEqual([true, true]);
});

test('SIGHUP replaces all workers without a failed request, also after a SIGHUP that failed', async () => {
  const running = await start();
  const old = await workersOf(running);
  const limitFiles = (limit: number) => execFileSync('prlimit', ['--pid', String(running.pid), `--nofile=${limit}:`]);
  // The primary can open no pipe to a new worker.
  limitFiles(3);
  process.kill(running.pid, 'SIGHUP');
  await until('the failure', () => running.output().includes('the renewal of the workers failed'));
  limitFiles(1_024);
  expect(await workersOf(running)).toEqual(old);

  const traffic = load(running);
  await until('traffic', () => traffic.right() > 60);
  process.kill(running.pid, 'SIGHUP');
  await until('new workers', () => running.output().includes('all workers are renewed'));
  const after = traffic.right();
  await until('traffic', () => traffic.right() > after + 60);
  await traffic.stop();
  expect(traffic.failures).toEqual([]);
  const fresh = await workersOf(running);
  expect(fresh).toHaveLength(workers);
  expect(fresh.filter((pid) => old.includes(pid))).toEqual([]);
  await proveEffects(traffic);
  // The old workers closed their Redis connections because they ended, which is no outage. A timeout on a busy machine is one.
  const outages = running.output().match(/^.*"redis":"down".*$/gm) ?? [];
  expect(outages.filter((line) => !line.includes('"reason":"timeout"'))).toEqual([]);
});

test('a worker that ends before all workers serve is replaced', async () => {
  const primary = start({ WORKERS: '3' });
  const [first] = await startingWorkers(3);
  process.kill(first!, 'SIGKILL');
  const running = await primary;
  await until('three workers', async () => (await workersOf(running)).length === 3);
  expect(await workersOf(running)).not.toContain(first);
  expect(running.output()).toContain('a worker ended with SIGKILL before it served');
});

const inFlight = 6;
const allRight = Array.from({ length: inFlight }, () => 200);

/** Each worker has some of them. */
const holdRequests = ({ callers }: Server): Promise<readonly HeldRequest[]> =>
  Promise.all(Array.from({ length: inFlight }, () => holdRequest(callers, authorization)));

/** Lets the requests end; returns their statuses. */
const releaseAll = (requests: readonly HeldRequest[]): Promise<readonly (number | undefined)[]> => {
  for (const { release } of requests) release();
  return Promise.all(requests.map(async ({ answer }) => (await answer).status));
};

test('signals to the whole process group, as terminals and service managers send them, abort no request', async () => {
  const running = await start();
  const pids = await workersOf(running);
  const requests = await holdRequests(running);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) for (const pid of pids) process.kill(pid, signal);
  const over = running.stop();
  await until('the stop', async () => (await statusOf(`${running.admin}/readyz`)) === 503);
  expect(await releaseAll(requests)).toEqual(allRight);
  expect(await over).toBe(0);
  expect(pids.map(isGone)).toEqual([true, true]);
});

test('workers whose primary is killed answer requests in flight and end', async () => {
  const running = await start();
  const pids = await workersOf(running);
  const requests = await holdRequests(running);
  // Resolves when the workers have closed their output, too.
  const over = running.kill();
  server = undefined;
  await until('a refusal', () =>
    fetch(running.callers).then(
      () => false,
      () => true,
    ),
  );
  expect(await releaseAll(requests)).toEqual(allRight);
  await over;
  await until('the workers to end', () => pids.every(isGone));
});

test('a worker that cannot start ends the program with 1 and is reported once', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => squatter.once('listening', resolve));
  const { port } = squatter.address() as { port: number };
  const { code, stderr, stdout } = await triglyph(['serve'], folder.path, {
    ...production.variables,
    WORKERS: '3',
    PORT: String(port),
  });
  squatter.close();
  expect(code).toBe(1);
  expect(stdout).not.toContain('"ready"');
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^triglyph: .*the address is in use/),
    'triglyph: a worker ended with 1 before it served',
  ]);
});
