/** Tests the test API of the demo: clock, faults, calls and reset over HTTP, and who is refused. */
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { ask, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let demo: Server;
beforeAll(async () => {
  demo = await startServer('demo', folder.path, {}, { parameters: ['--test-api'] });
});
afterAll(async () => {
  await demo.stop();
  folder.discard();
});

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const control = async (method: string, path: string, body?: unknown): Promise<Answer> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${demo.admin}/_test/${path}`, { method, ...(text !== undefined && { body: text }) });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
};
beforeEach(async () => {
  expect((await control('POST', 'reset')).status).toBe(200);
});

const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
const key = { 'Idempotency-Key': 'key-of-a-test-over-http' };
const list = () => ask(demo.callers, 'listRecurringDetails', shopper);
const disable = (headers = {}) => ask(demo.callers, 'disable', shopper, undefined, headers);

test('reset brings back the data, and the calls tell what was received', async () => {
  const before = await list();
  expect((await disable()).status).toBe(200);
  expect((await list()).answer).not.toHaveProperty('details');
  expect(before.answer).toHaveProperty('details');
  expect((await control('GET', 'calls')).body.calls).toMatchObject([
    { operation: 'listRecurringDetails', outcome: 'ok' },
    { operation: 'disable', format: 'json', status: 200, input: shopper, at: expect.stringMatching(/Z$/) },
    { operation: 'listRecurringDetails' },
  ]);
  await control('POST', 'reset');
  expect((await control('GET', 'calls')).body).toEqual({ calls: [] });
  expect(await list()).toEqual(before);
});

test('the clock stops, advances, and follows the machine again after a reset', async () => {
  const set = await control('POST', 'clock', { set: '2026-01-01T01:00:00+01:00' });
  expect(set).toEqual({ status: 200, body: { now: '2026-01-01T00:00:00.000Z' } });
  await disable(key);
  const advanced = await control('POST', 'clock', { advance: { days: 40, hours: 1 } });
  expect(advanced.body).toEqual({ now: '2026-02-10T01:00:00.000Z' });
  expect((await control('GET', 'clock')).body).toEqual(advanced.body);
  // The record of the key has expired, so the request is executed, and finds nothing.
  expect((await disable(key)).status).toBe(422);
  const { now } = (await control('POST', 'reset')).body as { now: string };
  expect(Date.parse(now)).toBeGreaterThan(Date.parse('2026-03-01'));
});

test('faults happen the given number of times, always, or until they are cleared', async () => {
  const fault = { operation: 'disable', answer: 'internal', times: 2 };
  expect((await control('POST', 'faults', fault)).body).toEqual({ pending: 1 });
  expect([(await disable()).status, (await disable()).status, (await list()).status]).toEqual([500, 500, 200]);
  expect((await control('GET', 'faults')).body).toEqual({ pending: 0 });
  await control('POST', 'faults', { always: true, drop: 'after' });
  for (let round = 0; round < 3; round++) await expect(disable(key)).rejects.toThrow('fetch failed');
  expect((await control('DELETE', 'faults')).body).toEqual({ pending: 0 });
  expect((await disable(key)).answer).toEqual({ response: '[all-details-successfully-disabled]' });
});

describe('a request that cannot be is refused, with the member that is wrong', () => {
  test.each([
    ['faults', { operation: 'dissable' }, 'operation'],
    ['faults', { operation: null }, 'operation'],
    ['faults', { format: 'xml' }, 'format'],
    ['faults', { service: 'Nothing' }, 'service'],
    ['faults', { credential: 5 }, 'credential'],
    ['faults', { answer: 'no such problem' }, 'answer'],
    ['faults', { delayMs: '5' }, 'delayMs'],
    ['faults', { drop: true }, 'drop'],
    ['faults', { malformed: 'yes' }, 'malformed'],
    ['faults', { times: 0 }, 'times'],
    ['faults', { times: 2, always: true }, 'times'],
    ['faults', { rate: 1.5 }, 'rate'],
    ['faults', { always: 1 }, 'always'],
    ['faults', { whatever: 1 }, 'whatever'],
    ['clock', {}, 'set'],
    ['clock', { set: '2026-01-01T00:00:00Z', advance: {} }, 'set'],
    ['clock', { set: '2026-01-01T00:00:00' }, 'set'],
    ['clock', { set: '2026-13-01T00:00:00Z' }, 'set'],
    ['clock', { set: 5 }, 'set'],
    ['clock', { advance: 5 }, 'advance'],
    ['clock', { advance: { days: '31' } }, 'days'],
    ['clock', { advance: { days: -1 } }, 'days'],
    ['clock', { advance: { weeks: 1 } }, 'weeks'],
    ['clock', { advance: { days: 9_000_000 } }, 'advance'],
    ['reset', { data: true }, 'data'],
  ])('%s %j', async (path, body, member) => {
    const refused = await control('POST', path, body);
    expect(refused).toMatchObject({ status: 400, body: { member, error: expect.stringContaining(member) } });
    expect((await control('GET', 'faults')).body).toEqual({ pending: 0 });
  });

  test.each(['[]', '"text"', '{', 'null'])('the body %s', async (body) => {
    expect(await control('POST', 'faults', body)).toEqual({
      status: 400,
      body: { error: 'the body is not a JSON object' },
    });
  });

  test('a body that is too large, an unknown path and another method', async () => {
    expect((await control('POST', 'faults', ' '.repeat(70_000))).status).toBe(413);
    expect((await control('GET', 'nothing')).status).toBe(404);
    expect((await control('GET', 'reset')).status).toBe(405);
  });
});

/** The status of a reset with these headers; fetch would not send them. */
const resetWith = (headers: Readonly<Record<string, string>>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(`${demo.admin}/_test/reset`, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once('error', reject).end();
  });

test.each([
  [{ origin: 'https://example.com' }, 403],
  [{ origin: 'null' }, 403],
  [{ 'sec-fetch-site': 'cross-site' }, 403],
  [{ 'sec-fetch-site': 'same-site' }, 403],
  [{ host: 'rebound.example.com' }, 403],
  [{ host: 'rebound.example.com:9090' }, 403],
  [{ host: '127.0.0.1.example.com' }, 403],
  [{ host: '[::1].example.com' }, 403],
  [{ 'sec-fetch-site': 'none' }, 200],
  [{ host: 'localhost:9090' }, 200],
  [{ host: '[::1]:9090' }, 200],
  [{ host: 'triglyph:9090' }, 200],
  [{ host: 'host.docker.internal:9090' }, 200],
] as const)('a request with %j gets %i', async (headers, status) => {
  expect(await resetWith(headers)).toBe(status);
});

test('neither a production server nor a demo without the option has it', async () => {
  const own = tempFolder();
  const { variables } = await prepareProduction(own.path);
  const demoFolder = tempFolder();
  const started = [
    await startServer('serve', own.path, variables),
    await startServer('demo', demoFolder.path, { DATA_DIR: demoFolder.path }),
  ];
  for (const { admin, callers } of started)
    for (const [method, path] of [
      ['POST', 'reset'],
      ['POST', 'clock'],
      ['POST', 'faults'],
      ['DELETE', 'faults'],
      ['GET', 'calls'],
    ] as const) {
      expect((await fetch(`${admin}/_test/${path}`, { method })).status).toBe(404);
      expect((await fetch(`${callers}/_test/${path}`, { method })).status).toBe(404);
    }
  for (const server of started) await server.stop();
  const refused = await triglyph(['serve', '--test-api'], own.path, variables);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--test-api') });
  own.discard();
  demoFolder.discard();
});

test('a database and a Redis, which it cannot reset, are refused', async () => {
  const own = tempFolder();
  const variables = { DATABASE_URL: 'postgres://u@127.0.0.1:1/none', REDIS_URL: 'redis://127.0.0.1:1' };
  const { code, stderr } = await triglyph(['demo', '--test-api'], own.path, variables);
  expect(code).toBe(1);
  expect(stderr).toContain('unset DATABASE_URL');
  expect(stderr).toContain('unset REDIS_URL');
  own.discard();
});
