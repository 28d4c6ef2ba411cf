/** The Redis cache on real servers: what it reserves and remembers, and that no fault of a server fails a request. */
import { execFileSync, spawn } from 'node:child_process';
import { createHmac, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { CacheReservation } from '../../src/core/idempotency/ports.ts';
import { clock } from '../../src/core/lib/clock.ts';
import {
  type CacheEvent,
  type CacheOptions,
  done,
  entryBytesMax,
  keyOf,
  openRedisCache,
  printPending,
  type RedisCache,
} from '../../src/stores/redis/cache.ts';
import {
  type RedisCluster,
  type RedisServer,
  type SentinelSet,
  startRedis,
  startRedisCluster,
  startSentinelSet,
} from '../support/redis.ts';
import { createTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const hash = (text: string): string => createHmac('sha256', 'a key').update(text).digest('base64url');

let keys = 0;
const freshKey = (): string => hash(`recordKey ${++keys} ${randomInt(2 ** 40)}`);

interface Opened {
  readonly cache: RedisCache;
  readonly events: CacheEvent[];
  readonly warnings: string[];
}

/** A long limit, so that a busy machine does not look like a hung server. Tests of time use the default of 50 ms. */
const patient = { commandMsMax: 10_000 };

const caches: RedisCache[] = [];
const open = (url: string, options: Partial<CacheOptions> = {}): Opened => {
  const events: CacheEvent[] = [];
  const warnings: string[] = [];
  const cache = openRedisCache({
    url,
    clock,
    onEvent: (event) => events.push(event),
    warn: (text) => warnings.push(text),
    ...options,
  });
  caches.push(cache);
  return { cache, events, warnings };
};
const opened = async (url: string, options: Partial<CacheOptions> = patient): Promise<Opened> => {
  const all = open(url, options);
  await until('the cache to be up', () => all.cache.state() === 'up');
  return all;
};

afterEach(async () => {
  await Promise.all(caches.splice(0).map((cache) => cache.close()));
});

/** Tries fresh keys until one is reserved. */
const untilReserved = (cache: RedisCache): Promise<void> =>
  until('a reservation', async () => (await cache.reserve(freshKey())).kind === 'reserved');

describe('on one server', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  test('reserves a key once, for 15 s, and reports the age of the reservation', async () => {
    const { cache } = await opened(server.url);
    const recordKey = freshKey();
    const reserved = await cache.reserve(recordKey);
    expect(reserved).toEqual({ kind: 'reserved', token: expect.stringMatching(/^[0-9a-f]{16}$/) });
    const leftMs = await server.raw.pttl(keyOf(recordKey));
    expect(leftMs).toBeGreaterThan(5_000);
    expect(leftMs).toBeLessThanOrEqual(15_000);

    const running = await cache.reserve(recordKey);
    expect(running).toEqual({ kind: 'inFlight', ageMs: expect.any(Number) });
    await server.raw.pexpire(keyOf(recordKey), 5_000);
    const { ageMs } = (await cache.reserve(recordKey)) as Extract<CacheReservation, { kind: 'inFlight' }>;
    expect(ageMs).toBeGreaterThanOrEqual(10_000);
    expect(ageMs).toBeLessThan(15_000);
    await server.raw.pexpire(keyOf(recordKey), 20_000);
    expect(await cache.reserve(recordKey)).toEqual({ kind: 'unknown' });
    await server.raw.pexpire(keyOf(recordKey), 1);
    await after(20);
    expect((await cache.reserve(recordKey)).kind).toBe('reserved');
  });

  test('remembers for an hour that a record is stored, for every client', async () => {
    const { cache } = await opened(server.url);
    const { cache: second } = await opened(server.url);
    const recordKey = freshKey();
    await cache.reserve(recordKey);
    await cache.complete(recordKey);
    expect(await second.reserve(recordKey)).toEqual({ kind: 'completed' });
    expect(await second.reserve(recordKey)).toEqual({ kind: 'completed' });
    const leftMs = await server.raw.pttl(keyOf(recordKey));
    expect(leftMs).toBeGreaterThan(3_500_000);
    expect(leftMs).toBeLessThanOrEqual(3_600_000);
  });

  test('grants exactly one of a hundred reservations over two clients', async () => {
    const both = [(await opened(server.url)).cache, (await opened(server.url)).cache] as const;
    for (let round = 0; round < 5; round += 1) {
      const recordKey = freshKey();
      const reservations = await Promise.all(
        Array.from({ length: 100 }, (_, at) => both[at % 2 === 0 ? 0 : 1].reserve(recordKey)),
      );
      const winner = reservations.findIndex(({ kind }) => kind === 'reserved');
      const expected = reservations.map((_, at) =>
        at === winner
          ? { kind: 'reserved', token: expect.any(String) }
          : { kind: 'inFlight', ageMs: expect.any(Number) },
      );
      expect(winner).toBeGreaterThanOrEqual(0);
      expect(reservations).toEqual(expected);
    }
  });

  test('releases its own reservation and no other', async () => {
    const { cache } = await opened(server.url);
    const recordKey = freshKey();
    const reserved = (await cache.reserve(recordKey)) as Extract<CacheReservation, { kind: 'reserved' }>;
    await cache.release(recordKey, '0123456789abcdef');
    await cache.release(recordKey, '');
    expect((await cache.reserve(recordKey)).kind).toBe('inFlight');
    await cache.release(recordKey, reserved.token);
    const next = await cache.reserve(recordKey);
    expect(next.kind).toBe('reserved');
    await cache.release(recordKey, reserved.token);
    expect((await cache.reserve(recordKey)).kind).toBe('inFlight');
    await cache.complete(recordKey);
    await cache.release(recordKey, (next as Extract<CacheReservation, { kind: 'reserved' }>).token);
    expect((await cache.reserve(recordKey)).kind).toBe('completed');
    await server.raw.del(keyOf(recordKey));
    await cache.release(recordKey, reserved.token);
  });

  test('starts empty after FLUSHALL and after SCRIPT FLUSH', async () => {
    const { cache, events } = await opened(server.url);
    const recordKey = freshKey();
    await cache.reserve(recordKey);
    await cache.complete(recordKey);
    await server.raw.flushall();
    await server.raw.script('FLUSH');
    const reserved = (await cache.reserve(recordKey)) as Extract<CacheReservation, { kind: 'reserved' }>;
    expect(reserved.kind).toBe('reserved');
    await server.raw.script('FLUSH');
    await cache.release(recordKey, reserved.token);
    expect(await server.raw.exists(keyOf(recordKey))).toBe(0);
    expect(events).toEqual([{ kind: 'up' }]);
  });

  const damages: [string, (key: string) => Promise<unknown>][] = [
    ['a list', (key) => server.raw.lpush(key, 'x')],
    ['a hash', (key) => server.raw.hset(key, 'P', 'x')],
    ['any text', (key) => server.raw.set(key, 'hello')],
    ['an empty text', (key) => server.raw.set(key, '')],
    ['bytes that are no text', (key) => server.raw.set(key, Buffer.from([0x44, 0x3a, 0xff, 0xfe, 0x00]))],
    ['a reservation that never expires', (key) => server.raw.set(key, printPending('0123456789abcdef'))],
    ['a reservation that lasts too long', (key) => server.raw.set(key, printPending('0123456789abcdef'), 'PX', 60_000)],
    ['an outcome', (key) => server.raw.set(key, `D:${hash('a command')}:${hash('forged').slice(0, 22)}:{}`)],
    ['a value too long', (key) => server.raw.set(key, done.repeat(entryBytesMax + 1))],
    ['a megabyte', (key) => server.raw.set(key, 'P'.repeat(1_048_576))],
  ];
  test.each(damages)(
    'answers unknown where it finds %s, stays up, and is repaired by a completed request',
    async (_, damage) => {
      const { cache, events } = await opened(server.url);
      const recordKey = freshKey();
      await damage(keyOf(recordKey));
      for (let time = 0; time < 6; time += 1) expect(await cache.reserve(recordKey)).toEqual({ kind: 'unknown' });
      await cache.release(recordKey, '0123456789abcdef');
      expect(cache.state()).toBe('up');
      expect(events).toEqual([{ kind: 'up' }, ...Array.from({ length: 6 }, () => ({ kind: 'unreadable' }))]);
      await cache.complete(recordKey);
      expect(await cache.reserve(recordKey)).toEqual({ kind: 'completed' });
    },
  );

  test('answers unknown while the server is read-only and recovers when it is writable', async () => {
    const { cache, events } = await opened(server.url);
    await server.raw.replicaof('127.0.0.1', 1);
    try {
      const recordKey = freshKey();
      const reservation = await cache.reserve(recordKey);
      expect(reservation.kind).toBe('unknown');
      await cache.complete(recordKey);
      expect(await server.raw.exists(keyOf(recordKey))).toBe(0);
      expect(events).toContainEqual({ kind: 'failed', reason: 'READONLY' });
    } finally {
      await server.raw.call('REPLICAOF', 'NO', 'ONE');
    }
    await untilReserved(cache);
  });

  test('ignores what a listener throws', async () => {
    const fail = (): never => {
      throw new Error('a listener');
    };
    const { cache } = await opened(server.url, { ...patient, onEvent: fail, warn: fail });
    const recordKey = freshKey();
    await server.raw.set(keyOf(recordKey), 'hello');
    expect(await cache.reserve(recordKey)).toEqual({ kind: 'unknown' });
  });

  test('answers unknown and does not throw after close', async () => {
    const { cache, events } = await opened(server.url);
    await cache.close();
    await cache.close();
    expect(cache.state()).toBe('down');
    expect(await cache.reserve(freshKey())).toEqual({ kind: 'unknown' });
    await cache.complete(freshKey());
    await cache.release(freshKey(), '0123456789abcdef');
    // A planned end is no outage.
    expect(events).toEqual([{ kind: 'up' }]);
  });
});

describe('a server that hangs', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterEach(() => server.resume());
  afterAll(() => server.stop());

  test('is asked until the circuit opens, then not, and is used again', async () => {
    const { cache, events } = await opened(server.url, {});
    server.pause();
    for (let time = 0; time < 5; time += 1) {
      expect(cache.state()).toBe('up');
      const reservation = await cache.reserve(freshKey());
      expect(reservation).toEqual({ kind: 'unknown', token: expect.stringMatching(/^[0-9a-f]{16}$/) });
    }
    expect(cache.state()).toBe('down');
    const failures = Array.from({ length: 5 }, () => ({ kind: 'failed', reason: 'timeout' }));
    expect(events).toEqual([{ kind: 'up' }, ...failures, { kind: 'down', reason: 'timeout' }]);

    // Without a token, since no command is sent.
    for (let time = 0; time < 20; time += 1) expect(await cache.reserve(freshKey())).toEqual({ kind: 'unknown' });
    server.resume();
    await untilReserved(cache);
    expect(cache.state()).toBe('up');
  });

  test('costs one probe a second while it hangs, and is used again over a new connection', async () => {
    const { cache } = await opened(server.url, {});
    server.pause();
    const endsAt = performance.now() + 3_000;
    let tried = 0;
    while (performance.now() < endsAt) {
      const reservation = await cache.reserve(freshKey());
      if (reservation.kind !== 'unknown') throw new Error(`a server that hangs answered ${reservation.kind}`);
      // It has a token where a command was sent.
      if (reservation.token !== undefined) tried += 1;
      await after(5);
    }
    expect(tried).toBeGreaterThanOrEqual(5);
    expect(tried).toBeLessThan(15);
    server.resume();
    await untilReserved(cache);
  });

  test('may apply a reservation after its time limit: completing overwrites it, and releasing removes it', async () => {
    const { cache } = await opened(server.url, {});
    const reservedLate = async () => {
      const recordKey = freshKey();
      await until('the cache to be up', () => cache.state() === 'up');
      server.pause();
      const reservation = await cache.reserve(recordKey);
      server.resume();
      if (reservation.kind !== 'unknown' || reservation.token === undefined)
        throw new Error(`no token in ${JSON.stringify(reservation)}`);
      const { token } = reservation;
      const pending = printPending(token);
      await until('the late reservation', async () => (await server.raw.get(keyOf(recordKey))) === pending);
      return { recordKey, token };
    };
    const given = await reservedLate();
    await until('the reservation to be released', async () => {
      await cache.release(given.recordKey, given.token);
      return (await server.raw.exists(keyOf(given.recordKey))) === 0;
    });
    const settled = await reservedLate();
    await until('the key to be remembered', async () => {
      await cache.complete(settled.recordKey);
      return (await cache.reserve(settled.recordKey)).kind === 'completed';
    });
  });

  test('does not hold up settling, releasing or closing', async () => {
    const { cache } = await opened(server.url, {});
    server.pause();
    await cache.complete(freshKey());
    await cache.release(freshKey(), '0123456789abcdef');
    await cache.close();
  });
});

describe('a server that dies', () => {
  test.each([
    [true, 'completed'],
    [false, 'reserved'],
  ] as const)(
    'answers unknown while it is gone; with persistence (%p) a record is %s afterwards',
    async (persistent, then) => {
      const server = await startRedis({ persistent });
      try {
        const { cache, events } = await opened(server.url);
        const recordKey = freshKey();
        await cache.reserve(recordKey);
        await cache.complete(recordKey);
        await server.kill();
        await until('the cache to be down', () => cache.state() === 'down');
        for (let time = 0; time < 20; time += 1) expect(await cache.reserve(recordKey)).toEqual({ kind: 'unknown' });
        await cache.complete(recordKey);
        await server.restart();
        await until('the cache to be up', () => cache.state() === 'up');
        expect((await cache.reserve(recordKey)).kind).toBe(then);
        expect(events.map(({ kind }) => kind)).toEqual(['up', 'down', 'up']);
      } finally {
        await server.stop();
      }
    },
  );

  test('in the middle of reservations leaves each of them with an answer', async () => {
    const server = await startRedis();
    try {
      const { cache } = await opened(server.url);
      server.pause();
      const reservations = Array.from({ length: 50 }, () => cache.reserve(freshKey()));
      await server.kill();
      const kinds = new Set((await Promise.all(reservations)).map(({ kind }) => kind));
      expect([...kinds]).toEqual(['unknown']);
    } finally {
      await server.stop();
    }
  });

  test('costs nothing when it was never there, reports that once, and is used as soon as it starts', async () => {
    const server = await startRedis();
    try {
      await server.kill();
      const { cache, events } = open(server.url);
      await until('an event of the cache', () => events.length > 0);
      expect(events).toEqual([{ kind: 'down', reason: 'ECONNREFUSED' }]);
      // Without a token, since no command is sent.
      expect(await cache.reserve(freshKey())).toEqual({ kind: 'unknown' });
      await server.restart();
      await until('the cache to be up', () => cache.state() === 'up');
      expect(events.map(({ kind }) => kind)).toEqual(['down', 'up']);
    } finally {
      await server.stop();
    }
  });

  test('raises no uncaught error, and the process ends by itself after close', async () => {
    const server = await startRedis();
    const source = new URL('../../src/stores/redis/cache.ts', import.meta.url).href;
    const script = `
      const { openRedisCache } = await import(${JSON.stringify(source)});
      const cache = openRedisCache({ url: ${JSON.stringify(server.url)}, mac: () => 'm'.repeat(43), clock: { now: () => Date.now() } });
      const counted = {};
      let left = ${4 * 60};
      const fresh = () => (left + Math.random()).toString();
      for (; left > 0; left -= 1) {
        const reservations = await Promise.all([0, 1, 2].map(() => cache.reserve(fresh(), 'f'.repeat(43))));
        for (const { kind } of reservations) counted[kind] = (counted[kind] ?? 0) + 1;
        await Promise.all([cache.complete(fresh(), { requestHash: 'f'.repeat(43), outcome: '{}' }), cache.release(fresh(), 'x')]);
        if (left % 60 === 30) process.stdout.write('.');
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
      await cache.close();
      process.stdout.write(JSON.stringify(counted));`;
    try {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, NODE_OPTIONS: '' },
      });
      const over = once(child, 'close');
      let stdout = '';
      let stderr = '';
      const turns = [
        () => server.pause(),
        () => server.kill(),
        () => server.restart(),
        async () => {
          await server.raw.call('CLIENT', 'KILL', 'TYPE', 'normal');
          await server.raw.flushall();
        },
      ];
      let turn = Promise.resolve();
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        for (const sign of text)
          if (sign === '.') {
            const next = turns.shift();
            turn = turn.then(() => next?.());
          }
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      const [code] = await over;
      await turn;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout.replaceAll('.', ''))).toMatchObject({
        reserved: expect.any(Number),
        unknown: expect.any(Number),
      });
    } finally {
      await server.stop();
    }
  });
});

describe('Sentinel', () => {
  test.each<[string, 1 | 3, (master: RedisServer) => void | Promise<void>]>([
    ['dies', 1, (master) => master.kill()],
    ['hangs', 3, (master) => master.pause()],
  ])('finds the new master when the old one %s', async (_, sentinels, harm) => {
    const set: SentinelSet = await startSentinelSet(sentinels);
    try {
      const { cache } = await opened(set.url, { commandMsMax: 500 });
      const [master, replica] = set.nodes;
      const recordKey = freshKey();
      expect((await cache.reserve(recordKey)).kind).toBe('reserved');
      expect(await master.raw.exists(keyOf(recordKey))).toBe(1);
      await harm(master);
      await untilReserved(cache);
      expect(await replica.raw.info('replication')).toMatch(/role:master/);
      const next = freshKey();
      await cache.complete(next);
      expect(await cache.reserve(next)).toEqual({ kind: 'completed' });
      expect(await replica.raw.exists(keyOf(next))).toBe(1);
    } finally {
      await set.stop();
    }
  });

  test('neither waits nor fails where no Sentinel answers', async () => {
    const { cache, events } = open('redis+sentinel://127.0.0.1:1,127.0.0.1:2/main');
    await until('an event of the cache', () => events.length > 0);
    expect(await cache.reserve(freshKey())).toEqual({ kind: 'unknown' });
    expect(cache.state()).toBe('down');
    await cache.close();
  });
});

describe('a cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster.stop());

  test('spreads the records over its nodes, and every client finds them', async () => {
    const { cache } = await opened(cluster.url);
    const { cache: second } = await opened(cluster.url);
    const all = Array.from({ length: 60 }, freshKey);
    const reservations = await Promise.all(all.map((recordKey) => cache.reserve(recordKey)));
    expect(reservations.map(({ kind }) => kind)).toEqual(all.map(() => 'reserved'));
    for (const { raw } of cluster.nodes) expect(await raw.dbsize()).toBeGreaterThan(0);
    const again = await Promise.all(all.map((recordKey) => second.reserve(recordKey)));
    expect(again).toEqual(all.map(() => ({ kind: 'inFlight', ageMs: expect.any(Number) })));
    await Promise.all(
      reservations.map((reservation, at) =>
        at % 2 === 0 || reservation.kind !== 'reserved'
          ? cache.complete(all[at]!)
          : cache.release(all[at]!, reservation.token),
      ),
    );
    const last = await Promise.all(all.map((recordKey) => second.reserve(recordKey)));
    expect(last.map(({ kind }) => kind)).toEqual(all.map((_, at) => (at % 2 === 0 ? 'completed' : 'reserved')));
  });

  test('answers for the remaining nodes, and unknown for the lost one', async () => {
    const { cache } = await opened(cluster.url, { commandMsMax: 500 });
    await cluster.nodes[0]!.kill();
    const counts = { reserved: 0, unknown: 0, inFlight: 0, completed: 0 };
    await until('answers for the others', async () => {
      counts[(await cache.reserve(freshKey())).kind] += 1;
      return counts.reserved >= 20 && counts.unknown >= 10;
    });
    expect(counts).toMatchObject({ inFlight: 0, completed: 0 });
  });
});

describe('output and records', () => {
  const printed: string[] = [];
  beforeAll(() => {
    for (const way of ['log', 'info', 'warn', 'error'] as const)
      jest.spyOn(console, way).mockImplementation((...words) => void printed.push(words.map(String).join(' ')));
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });

  const password = 'p@ss:word/secret-1';
  const secrets = ['secret-1', encodeURIComponent(password), 'ann-the-user'];

  test('hold hashes and random tokens alone: no key of a caller, no outcome, no password', async () => {
    const server = await startRedis({ password });
    try {
      await server.raw.call('ACL', 'SETUSER', 'ann-the-user', 'on', `>${password}`, '~idem:v2:*', '+@all');
      const url = server.url.replace('redis://', 'redis://ann-the-user');
      const { cache, events, warnings } = await opened(url);
      const idempotencyKey = '2f6e1a4c-0b1f-4a53-9d57-callers-key';
      const recordKey = hash(idempotencyKey);
      const [settled, running, released] = [recordKey, freshKey(), freshKey()];
      for (const each of [settled, running, released]) {
        const reservation = await cache.reserve(each);
        if (each === released && reservation.kind === 'reserved') await cache.release(each, reservation.token);
      }
      await cache.complete(settled);
      const texts = await server.texts();
      expect([...texts.keys()].toSorted()).toEqual([keyOf(settled), keyOf(running)].toSorted());
      expect(texts.get(keyOf(running))).toMatch(/^P:[0-9a-f]{16}$/);
      expect(texts.get(keyOf(settled))).toBe('D');
      const everything = JSON.stringify([...texts, ...events, ...warnings, ...printed]);
      for (const secret of [...secrets, idempotencyKey]) expect(everything).not.toContain(secret);
    } finally {
      await server.stop();
    }
  });

  test('name a wrong password by its code alone', async () => {
    const server = await startRedis({ password: 'another' });
    try {
      const { cache, events, warnings } = open(
        server.url.replace(':another@', `ann-the-user:${encodeURIComponent(password)}@`),
        patient,
      );
      await until('an event of the cache', () => events.length > 0);
      expect(events).toEqual([{ kind: 'down', reason: 'WRONGPASS' }]);
      expect(await cache.reserve(freshKey())).toEqual({ kind: 'unknown' });
      const everything = JSON.stringify([...events, ...warnings, ...printed]);
      for (const secret of secrets) expect(everything).not.toContain(secret);
    } finally {
      await server.stop();
    }
  });

  test('advise once about a server that may evict records', async () => {
    const server = await startRedis({ parameters: ['--maxmemory-policy', 'allkeys-lru'] });
    try {
      const { cache, warnings, events } = await opened(server.url);
      await until('the advice', () => warnings.length > 0);
      await server.kill();
      await until('the cache to be down', () => cache.state() === 'down');
      await server.restart();
      await until('the cache to be up', () => cache.state() === 'up');
      await server.raw.config('SET', 'maxmemory-policy', 'volatile-ttl');
      await server.raw.call('CLIENT', 'KILL', 'TYPE', 'normal');
      await until('the other advice', () => warnings.length > 1);
      expect(warnings).toEqual([expect.stringContaining('allkeys-lru'), expect.stringContaining('volatile-ttl')]);
      expect(events.at(-1)).toEqual({ kind: 'up' });
    } finally {
      await server.stop();
    }
  });
});

describe('over TLS', () => {
  const trusted = getCACertificates('default');
  let folder: string;
  beforeAll(() => {
    folder = createTempFolder();
  });
  afterAll(() => {
    setDefaultCACertificates(trusted);
    rmSync(folder, { recursive: true });
  });

  test('a server is used once its certificate is trusted, and not before', async () => {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const named = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...named, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const server = await startRedis();
    try {
      await server.raw.config('SET', 'tls-cert-file', cert, 'tls-key-file', key, 'tls-auth-clients', 'no');
      let port = 0;
      await until('a port for TLS', async () => {
        port = randomInt(12_000, 30_000);
        return (await server.raw.config('SET', 'tls-port', port)) === 'OK';
      });
      const { cache, events } = open(`rediss://127.0.0.1:${port}`, patient);
      await until('an event of the cache', () => events.length > 0);
      expect(events).toEqual([{ kind: 'down', reason: expect.stringMatching(/CERT/) }]);
      setDefaultCACertificates([...trusted, readFileSync(cert, 'utf8')]);
      await untilReserved(cache);
    } finally {
      await server.stop();
    }
  });
});
