/**
 * A switch to a new server that is broken is rolled back: at most five callers fail, at all gateways of a store together. One that refuses
 * what the old server refuses stays.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ShadowOptions } from '../../src/backend/upstreams/options.ts';
import { freshKeys } from '../../src/core/vault/key-ring.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { entry, type Front, startFront } from '../support/shadowed.ts';
import { until } from '../support/until.ts';
import { answerJson, type Behaviour, startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

const operator = { type: 'user', name: 'anna' } as const;
const gateways = 3;
const failuresMax = 5;
/** 1,000 a minute. */
const betweenMs = 60;
/** Longer than any gateway waits between two polls. */
const pollsMs = 2_000;

const answer: Behaviour = (response, { url, body }) => {
  const { number } = JSON.parse(body);
  if (number.startsWith('REFUSED'))
    return answerJson(response, 422, { status: 422, errorCode: '1002', message: 'Entry not found' });
  const added = url.endsWith('addEntry');
  answerJson(response, 200, added ? { status: 'added' } : { ...entry, number, bookedAt: '2026-01-31T12:00:00Z' });
};

const refuse =
  (status: number): Behaviour =>
  (response) =>
    answerJson(response, status, { status, errorCode: '1234', errorType: 'validation', message: 'No' });
const html =
  (status: number, headers = {}): Behaviour =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end('<html>no</html>');

const broken: Readonly<Record<string, Behaviour>> = {
  'refuses with 400': refuse(400),
  'refuses with 401': refuse(401),
  'refuses with 403': refuse(403),
  'refuses with 404': refuse(404),
  'refuses with 422': refuse(422),
  'has no such path': html(404),
  'fails with 500': (response) => answerJson(response, 500, { status: 500, errorCode: '905', message: 'Failed' }),
  'fails with an HTML page': html(500),
  'is behind a proxy that finds it down': html(502),
  'is overloaded': html(503, { 'Retry-After': '1' }),
  redirects: html(302, { Location: '/login' }),
  'answers something else': (response) => answerJson(response, 200, { hello: 'world' }),
  'answers with a page': html(200),
  resets: (_, __, socket) => socket.resetAndDestroy(),
  'never answers': () => {},
  'ends in the middle': (response, _, socket) =>
    void response
      .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 })
      .write('{', () => socket.destroy()),
  'speaks no HTTP': (_, __, socket) => socket.end('220 smtp.example.com ESMTP\r\n'),
};

let postgres: Postgres;
let old: UpstreamServer;
beforeAll(async () => {
  [postgres, old] = await Promise.all([startPostgres(), startUpstreamServer(answer)]);
});
afterAll(async () => {
  await Promise.all([postgres.discard(), old[Symbol.asyncDispose]()]);
});

interface Fleet extends AsyncDisposable {
  readonly fronts: readonly Front[];
  /** The fronts in turn. */
  next(): Front;
  /** Returns when each gateway has polled. */
  switchAll(): Promise<void>;
  isSwitched(): Promise<boolean>;
}

/** Gateways on one store, with the server as their shadow. */
async function startFleet(url: string, shadow: Partial<ShadowOptions> = {}): Promise<Fleet> {
  const shared = { store: { databaseUrl: await postgres.createMigratedDatabase() }, keys: freshKeys() };
  const timeouts = { connectMs: 500, headersMs: 700, bodyMs: 700, totalMs: 1_500 };
  const options = { credentials: 'none', idempotency: 'header', format: 'json' } as const;
  const fronts = await Promise.all(
    Array.from({ length: gateways }, () =>
      startFront({
        old: old.url,
        upstream: options,
        shadow: { url, share: 0, timeouts, ...options, ...shadow },
        ...shared,
      }),
    ),
  );
  let turn = 0;
  const fleet: Fleet = {
    fronts,
    next() {
      turn += 1;
      return fronts[turn % gateways]!;
    },
    async switchAll() {
      await fronts[0]!.shadows.setShare('erp', 'answered', { operation: '', caller: '', percent: 100 }, operator);
      await wait(pollsMs);
    },
    async isSwitched() {
      const { shares } = await fronts[0]!.shadows.load();
      return shares.some(({ answered = 0 }) => answered > 0);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(fronts.map((each) => each[Symbol.asyncDispose]()));
    },
  };
  return fleet;
}

let keys = 0;
const call = async (front: Front, kind: 'reads' | 'writes', number = 'A-1'): Promise<number> => {
  keys += 1;
  const key = keys % 2 === 0 ? `key-of-request-${keys}` : undefined;
  return (await (kind === 'reads' ? front.read(number) : front.write(number, key))).status;
};
const failed = (statuses: readonly number[]): number => statuses.filter((status) => status !== 200).length;

/** Returns the failures of ten requests, one after another. */
async function callInTurn(fleet: Fleet, kind: 'reads' | 'writes'): Promise<number> {
  const statuses: number[] = [];
  for (let at = 0; at < 10; at += 1) statuses.push(await call(fleet.next(), kind));
  return failed(statuses);
}

/** Returns the failures of requests that do not wait for each other. */
async function callAtPace(fleet: Fleet): Promise<number> {
  const calls: Promise<number>[] = [];
  for (let at = 0; at < 40; at += 1) {
    calls.push(call(fleet.next(), at % 2 === 0 ? 'reads' : 'writes'));
    await wait(betweenMs);
  }
  return failed(await Promise.all(calls));
}

/** Returns what was wrong: more callers failed than may, or the switch was not rolled back. */
async function findFaults(name: string): Promise<readonly string[]> {
  await using server = await startUpstreamServer(broken[name]!);
  await using fleet = await startFleet(server.url);
  const faults: string[] = [];
  const roundOf = async (round: string, callAll: () => Promise<number>): Promise<void> => {
    await fleet.switchAll();
    const before = server.received.length;
    const all = await callAll();
    let more = 0;
    // A gateway that polls late has its share of requests later.
    await until('the way back', async () => {
      more += failed([await call(fleet.next(), 'writes')]);
      return !(await fleet.isSwitched());
    });
    if (all + more > failuresMax) faults.push(`${name}, ${round}: ${all} and ${more} callers failed`);
    if (server.received.length === before) faults.push(`${name}, ${round}: nothing was sent`);
  };
  await roundOf('reads', () => callInTurn(fleet, 'reads'));
  await roundOf('writes', () => callInTurn(fleet, 'writes'));
  await roundOf('at once', () => callAtPace(fleet));
  return faults;
}

test('at most five callers of a broken server fail, in turn and at once, and the old one answers again', async () => {
  const names = Object.keys(broken);
  const faults: string[] = [];
  for (let at = 0; at < names.length; at += 2)
    faults.push(...(await Promise.all(names.slice(at, at + 2).map(findFaults))).flat());
  expect(faults).toEqual([]);
});

test('control: without a bound all callers of a server that refuses fail', async () => {
  await using server = await startUpstreamServer(refuse(422));
  await using fleet = await startFleet(server.url, { rollback: { errors: 100 } });
  await fleet.switchAll();
  expect(await callInTurn(fleet, 'writes')).toBe(10);
});

test('a closed port is no failure for any caller', async () => {
  await using fleet = await startFleet('http://127.0.0.1:9');
  await fleet.switchAll();
  const statuses: number[] = [];
  for (let at = 0; at < 12; at += 1) statuses.push(await call(fleet.next(), at % 2 === 0 ? 'reads' : 'writes'));
  expect(failed(statuses)).toBe(0);
  await until('the way back', async () => !(await fleet.isSwitched()));
});

test('control: a new server that refuses what the old one refuses stays, and answers', async () => {
  await using server = await startUpstreamServer(answer);
  const numbers = (at: number): string => (at % 3 === 0 ? `REFUSED-${at}` : `A-${at}`);
  await using fleet = await startFleet(server.url);
  for (let at = 0; at < 30; at += 1) await call(fleet.fronts[0]!, 'writes', numbers(at));
  // The counts are stored with the next poll.
  await wait(pollsMs);
  await fleet.switchAll();
  const before = server.received.length;
  for (let at = 0; at < 60; at += 1)
    expect(await call(fleet.next(), at % 2 === 0 ? 'writes' : 'reads', numbers(at))).toBe(at % 3 === 0 ? 422 : 200);
  expect(server.received.length - before).toBe(60);
  await wait(pollsMs);
  expect(await fleet.isSwitched()).toBe(true);
});

test('a new server that refuses its first writes, as the old one does, stays, and gets requests again', async () => {
  await using server = await startUpstreamServer(answer);
  await using fleet = await startFleet(server.url);
  await fleet.switchAll();
  for (let at = 0; at < 5; at += 1) expect(await call(fleet.next(), 'writes', `REFUSED-${at}`)).toBe(422);
  for (let at = 0; at < 20; at += 1) expect(await call(fleet.next(), 'writes', `A-${at}`)).toBe(200);
  const before = server.received.length;
  await until('requests at the new server', async () => {
    expect(await call(fleet.next(), 'writes')).toBe(200);
    return server.received.length > before;
  });
  await wait(pollsMs);
  expect(await fleet.isSwitched()).toBe(true);
});
