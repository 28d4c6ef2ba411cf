/** Guessing secrets in every format: stopped by the locks, successful without them, and harmless to real callers. */
import { Buffer } from 'node:buffer';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Credentials } from '../../src/access/credentials/credentials.ts';
import { createLimits } from '../../src/access/limits/limits.ts';
import { LoginLimits, type LoginSettings } from '../../src/access/limits/login-limits.ts';
import type { QuotaReached } from '../../src/access/limits/quota.ts';
import { createLoginGuard } from '../../src/access/login-guard.ts';
import { createLoginReports } from '../../src/access/login-reports.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { createMemoryAuditTrail } from '../support/memory-audit-trail.ts';

const protocols = createProtocols(services);
const list = recurringV25.operations.get('listRecurringDetails')!;
const input = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };

const name = 'ws@Company.Demo';
const right = 'demo:password';
const home = '192.0.2.1';
const elsewhere = '203.0.113.9';
const lockMs = 1_800_000;

/** As in docs/configuration.md. */
const defaults: LoginSettings = {
  loginFailuresMax: 10,
  loginFailuresPerAddressMax: 100,
  loginFailuresPerNameMax: 100,
  loginLockMs: lockMs,
};
const off: LoginSettings = {
  ...defaults,
  loginFailuresMax: 0,
  loginFailuresPerAddressMax: 0,
  loginFailuresPerNameMax: 0,
};

const gateways: TestGateway[] = [];
afterAll(() => Promise.all(gateways.map((each) => each.close())));

const open = async (settings: LoginSettings = defaults, credentials?: Credentials) => {
  const time = { now: Date.UTC(2026, 0, 15) };
  const clock = { now: () => time.now };
  const reached: QuotaReached[] = [];
  const limits = createLimits(clock, fingerprint);
  limits.listen((event) => reached.push(event));
  const counted = new Map<string, number>();
  const audit = createMemoryAuditTrail();
  const reports = createLoginReports(audit, (reason) => counted.set(reason, (counted.get(reason) ?? 0) + 1));
  const guard = createLoginGuard(new LoginLimits(settings, limits), reports.report);
  const gateway = await openGateway({ guard, clock, ...(credentials && { credentials }) });
  gateways.push(gateway);
  let sent = 0;
  const call = async (headers: Readonly<Record<string, string>>, address: string, format?: NamedProtocol) => {
    const protocol = protocols[format ?? namedProtocols[sent++ % namedProtocols.length]!];
    const { path, contentType, body } = protocol.encodeRequest(recurringV25, list, input);
    return await gateway.ask({ path, headers: { 'content-type': contentType, ...headers }, body, address });
  };
  const logIn = (secret: string, address: string, also: { format?: NamedProtocol; as?: string } = {}) =>
    call(
      { authorization: `Basic ${Buffer.from(`${also.as ?? name}:${secret}`).toString('base64')}` },
      address,
      also.format,
    );
  return { time, reached, counted, audit, reports, call, logIn };
};

/** Equal for equal texts only. */
const fingerprint = (text: string): string => Buffer.from(text).toString('base64url');

describe.each(namedProtocols)('in %s', (format) => {
  test('2,000 wrong secrets do not end with the right one', async () => {
    const { logIn, counted, reached } = await open();
    for (let guess = 0; guess < 10; guess++)
      expect((await logIn(`guess ${guess}`, elsewhere, { format })).message.status).toBe(401);
    for (let guess = 10; guess < 2_000; guess++) await logIn(`guess ${guess}`, elsewhere, { format });
    const { message, entry } = await logIn(right, elsewhere, { format });
    expect(message).toMatchObject({
      status: 429,
      headers: { 'transient-error': 'true', 'Retry-After': String(lockMs / 1000) },
    });
    expect(entry).toMatchObject({ outcome: 'tooManyRequests', credential: undefined });
    expect(entry.problem).toMatchObject({ reason: 'locked', nameHash: fingerprint(name) });
    expect([...counted]).toEqual([
      ['wrongSecret', 10],
      ['locked', 1_991],
    ]);
    expect(reached).toMatchObject([{ limit: 'loginNameAtAddress', of: 'logins', actor: fingerprint(name) }]);
  });

  test('2,000 wrong secrets end with the right one where nothing is limited', async () => {
    const { logIn } = await open(off);
    for (let guess = 0; guess < 2_000; guess++) await logIn(`guess ${guess}`, elsewhere, { format });
    expect((await logIn(right, elsewhere, { format })).message.status).toBe(200);
  });
});

test('the lock ends, and counting begins again', async () => {
  const { logIn, time } = await open();
  for (let guess = 0; guess < 10; guess++) await logIn(`guess ${guess}`, elsewhere);
  time.now += lockMs - 1;
  expect((await logIn(right, elsewhere)).message.status).toBe(429);
  time.now += 1;
  expect((await logIn(right, elsewhere)).message.status).toBe(200);
});

test('a locked attempt is not verified', async () => {
  const { logIn, counted } = await open();
  for (let guess = 0; guess < 500; guess++) await logIn(`guess ${guess}`, elsewhere);
  expect(counted.get('wrongSecret')).toBe(10);
});

test('secrets that are guessed at the same time are no more than those one after the other', async () => {
  const guesses = [...Array.from({ length: 50 }, (_, guess) => `guess ${guess}`), right];
  const guessAll = async (settings: LoginSettings) => {
    const { logIn, counted } = await open(settings);
    const answers = await Promise.all(guesses.map((guess) => logIn(guess, elsewhere)));
    return { last: answers.at(-1)!.message.status, compared: counted.get('wrongSecret') };
  };
  expect(await guessAll(defaults)).toEqual({ last: 429, compared: 10 });
  expect(await guessAll(off)).toEqual({ last: 200, compared: 50 });
});

test('a right secret from an address that it is not bound to counts like a wrong one', async () => {
  const refused = { refusal: 'otherAddress', credential: 'cr_1' } as const;
  const verify: Credentials['verify'] = async ({ secret }) => (secret === right ? refused : { refusal: 'wrongSecret' });
  const statuses = async (secret: string): Promise<readonly number[]> => {
    const { logIn } = await open(defaults, { verify });
    const found: number[] = [];
    for (const each of [secret, ...Array.from({ length: 10 }, (_, guess) => `guess ${guess}`)])
      found.push((await logIn(each, elsewhere)).message.status);
    return found;
  };
  expect(await statuses(right)).toEqual(await statuses('a wrong one'));
});

test('an unknown name is locked like a known one', async () => {
  const { logIn, counted } = await open();
  const statuses = new Set<number>();
  for (let guess = 0; guess < 20; guess++)
    statuses.add((await logIn(`guess ${guess}`, elsewhere, { as: 'no@Company.None' })).message.status);
  expect([...statuses]).toEqual([401, 429]);
  expect(counted.get('unknownName')).toBe(10);
});

test('a client that repeats an old secret is not locked, and its correction works at once', async () => {
  const { logIn } = await open();
  for (let time = 0; time < 1_000; time++) expect((await logIn('the old one', home)).message.status).toBe(401);
  expect((await logIn(right, home)).message.status).toBe(200);
});

test('a real caller is not locked out by failures from elsewhere', async () => {
  const { logIn } = await open();
  for (let guess = 0; guess < 2_000; guess++) await logIn(`guess ${guess}`, elsewhere);
  expect((await logIn(right, home)).message.status).toBe(200);
});

test('a caller that was here before is not locked out by failures from its own address', async () => {
  const { logIn, call } = await open();
  const key = { 'x-api-key': 'demo-api-key' };
  await logIn(right, home);
  await call(key, home);
  for (let guess = 0; guess < 2_000; guess++) await logIn(`guess ${guess}`, home, { as: `name ${guess % 300}` });
  for (let guess = 0; guess < 20; guess++) await logIn(`guess ${guess}`, home);
  expect((await logIn(right, home)).message.status).toBe(200);
  expect((await call(key, home)).message.status).toBe(200);
  expect((await call({ 'x-api-key': 'other-api-key' }, home)).message.status).toBe(429);
});

test('the secret of a caller that is active elsewhere is locked for guesses, too', async () => {
  const { logIn, call } = await open();
  const key = { 'x-api-key': 'demo-api-key' };
  await logIn(right, home);
  await call(key, home);
  for (let guess = 0; guess < 10; guess++) await logIn(`guess ${guess}`, elsewhere);
  expect((await logIn(right, elsewhere)).message.status).toBe(429);
  for (let guess = 0; guess < 100; guess++) await call({ 'x-api-key': `guess ${guess}` }, elsewhere);
  expect((await call(key, elsewhere)).message.status).toBe(429);
  expect((await logIn(right, home)).message.status).toBe(200);
  expect((await call(key, home)).message.status).toBe(200);
});

test('one address guesses 100 API keys, whatever its names, and no more', async () => {
  const { call, counted, reached } = await open();
  for (let guess = 0; guess < 2_000; guess++) await call({ 'x-api-key': `guess ${guess}` }, elsewhere);
  expect((await call({ 'x-api-key': 'demo-api-key' }, elsewhere)).message.status).toBe(429);
  expect((await call({ 'x-api-key': 'demo-api-key' }, home)).message.status).toBe(200);
  expect(counted.get('unknownName')).toBe(100);
  expect(reached).toMatchObject([{ limit: 'loginAddress', actor: elsewhere }]);
});

test('API keys are guessed without end where nothing is limited', async () => {
  const { call } = await open(off);
  for (let guess = 0; guess < 2_000; guess++) await call({ 'x-api-key': `guess ${guess}` }, elsewhere);
  expect((await call({ 'x-api-key': 'demo-api-key' }, elsewhere)).message.status).toBe(200);
});

test('the addresses of one IPv6 network are one address', async () => {
  const { logIn } = await open();
  for (let guess = 0; guess < 10; guess++) await logIn(`guess ${guess}`, `2001:db8:1:2::${guess + 1}`);
  expect((await logIn(right, '2001:db8:1:2:3:4:5:6')).message.status).toBe(429);
  expect((await logIn(right, '2001:db8:1:3::1')).message.status).toBe(200);
});

test('a name that many addresses try gives each further address one attempt; the right secret needs one', async () => {
  const { logIn, counted, reached } = await open();
  let address = 0;
  const next = () => `198.51.100.${++address}`;
  for (let stranger = 0; stranger < 50; stranger++) {
    const from = next();
    for (let guess = 0; guess < 5; guess++) await logIn(`guess ${stranger} ${guess}`, from);
  }
  // 20 addresses guessed five times, then 30 once.
  expect(counted.get('wrongSecret')).toBe(100 + 30);
  expect(reached).toMatchObject([{ limit: 'loginName', actor: fingerprint(name) }]);
  expect((await logIn(right, next())).message.status).toBe(200);
});

test('the audit log has one entry for each name in an interval, with the hash of the name', async () => {
  const { logIn, audit, reports } = await open();
  for (let guess = 0; guess < 500; guess++) await logIn(`guess ${guess}`, elsewhere);
  await logIn('guess', home);
  expect(audit.events).toEqual([]);
  reports.flush();
  expect(audit.events).toEqual([
    {
      kind: 'loginRefused',
      actor: { type: 'gateway', name: 'gateway' },
      subject: fingerprint(name),
      detail: {
        attempts: 501,
        locked: 490,
        addresses: 2,
        address: home,
        reason: 'wrongSecret',
        credential: expect.any(String),
      },
    },
  ]);
  expect(JSON.stringify(audit.events)).not.toContain('Company.Demo');
});

test('names beyond 100 in an interval are summed up as one', async () => {
  const { logIn, audit, reports } = await open(off);
  for (let guess = 0; guess < 300; guess++) await logIn('guess', elsewhere, { as: `name ${guess}` });
  reports.flush();
  expect(audit.events).toHaveLength(101);
  expect(audit.events.at(-1)).toMatchObject({ subject: 'others', detail: { attempts: 200 } });
});
