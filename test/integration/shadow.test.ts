/** A shadow next to an upstream: what it gets, what differs, which share it answers, and the way back. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { describeUpstreams } from '../../src/backend/upstreams/describe.ts';
import type { ShadowOptions } from '../../src/backend/upstreams/options.ts';
import { planUpstreams } from '../../src/backend/upstreams/plan.ts';
import { describeShadows } from '../../src/backend/upstreams/read-shadow.ts';
import { readSources } from '../../src/config/variable-sources.ts';
import { shadowHandlers } from '../../src/operators/shadow/handlers.ts';
import {
  credentials,
  type DeskServer,
  desk,
  entry,
  type Front,
  type FrontOptions,
  startDesk,
  startFront,
} from '../support/shadowed.ts';
import { until } from '../support/until.ts';
import { answerJson, startUpstreamServer } from '../support/upstream-server.ts';

const operator = { type: 'user', name: 'anna' } as const;
let old: DeskServer;
let next: DeskServer;
let front: Front;

beforeEach(async () => {
  [old, next] = await Promise.all([startDesk(), startDesk()]);
});
afterEach(async () => {
  await front?.[Symbol.asyncDispose]();
  await Promise.all([old[Symbol.asyncDispose](), next[Symbol.asyncDispose]()]);
});

const start = async (shadow: Partial<ShadowOptions> = {}, options: Partial<FrontOptions> = {}): Promise<void> => {
  front = await startFront({
    old: old.url,
    shadow: { url: next.url, credentials, idempotency: 'header', ...shadow },
    ...options,
  });
};
const differences = async () =>
  (await front.shadows.list()).map(({ path, kind, count, example }) => ({ path, kind, count, example }));
const copied = (count: number) => until('the copies', () => next.reads.length === count);
/** Servers poll each second. */
let polls = 0;
const noticed = (isSwitched: boolean) =>
  until('the switch', async () => {
    polls += 1;
    await front.read(`POLL-${polls}`);
    return next.reads.includes(`POLL-${polls}`) === isSwitched;
  });

describe('copies', () => {
  test('are compared as values: SOAP and JSON with the same content do not differ, refusals neither', async () => {
    await start();
    for (const number of ['A-1', 'A-2', 'MISSING-1'])
      expect((await front.read(number)).status).toBe(number.startsWith('M') ? 422 : 200);
    await copied(3);
    await front.gateway.close();
    expect([old.reads.sort(), next.reads.sort()]).toEqual([old.reads, old.reads]);
  });

  test('that differ are counted by kind, with masked examples, and their callers', async () => {
    next.alter = ({ tags: _, ...answer }) => ({ ...answer, amount: '10.51', card: '5555555555554444' });
    await start();
    const answer = await front.read('A-1');
    expect(answer.body).toMatchObject({ number: 'A-1', amount: 10.5, card: '4111111111111111' });
    await front.read('A-2', 2);
    await copied(2);
    await until('the differences', async () => (await differences()).some(({ count }) => count === 2));
    expect((await differences()).sort((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
      {
        path: 'amount',
        kind: 'value',
        count: 2,
        example: expect.objectContaining({ left: '"10.5"', right: '"10.51"' }),
      },
      {
        path: 'card',
        kind: 'value',
        count: 2,
        example: expect.objectContaining({ left: '"************1111"', right: '"************4444"' }),
      },
      { path: 'tags', kind: 'missing', count: 2, example: expect.objectContaining({ left: '["new","paid"]' }) },
    ]);
    const [{ callers, firstAt, lastAt, operation }] = (await front.shadows.list()) as [never];
    expect([callers, operation]).toEqual([['caller 1', 'caller 2'], 'Desk.getEntry']);
    expect(lastAt).toBeGreaterThanOrEqual(firstAt);
  });

  test('of a share, of callers and of operations alone are sent', async () => {
    await start({ share: 0 });
    await front.read('A-1');
    await front.shadows.setShare('erp', 'copied', { operation: '', caller: 'caller 2', percent: 100 }, operator);
    await until('the share', async () => {
      await front.read('A-2', 2);
      return next.reads.includes('A-2');
    });
    await front.read('A-3', 1);
    await front.shadows.setShare('erp', 'copied', { operation: 'Desk.getEntry', caller: '', percent: 50 }, operator);
    await until('the share', async () => {
      await front.read('A-4', 1);
      return next.reads.includes('A-4');
    });
    expect(next.reads).not.toContain('A-1');
    expect(next.reads).not.toContain('A-3');
  });

  test('of requests that write go to a sandbox alone, under keys of their own', async () => {
    await start();
    await front.write('W-1', 'a-key-of-sixteen-1');
    await front.read('A-1');
    await copied(1);
    expect(next.effects).toEqual([]);
    await front[Symbol.asyncDispose]();
    await start({ writes: 'sandbox' }, { upstream: { idempotency: 'header', format: 'json' } });
    await front.write('W-2', 'a-key-of-sixteen-2');
    await front.write('W-2', 'a-key-of-sixteen-2');
    await front.write('W-3');
    await until('the copies', () => next.effects.length === 2);
    expect([old.effects, next.effects]).toEqual([
      ['W-1', 'W-2', 'W-3'],
      ['W-2', 'W-3'],
    ]);
  });
});

describe('a switch', () => {
  test('moves callers, all of them step by step, and back in one command', async () => {
    await start({ share: 0 });
    const answeredByNext = async (): Promise<readonly string[]> => {
      next.reads.length = 0;
      for (let caller = 1; caller <= 40; caller += 1) await front.read(`C-${caller}`, caller);
      return [...next.reads];
    };
    let answered: readonly string[] = [];
    for (const percent of [10, 50, 100]) {
      await front.shadows.setShare('erp', 'answered', { operation: '', caller: '', percent }, operator);
      await until('more callers', async () => (await answeredByNext()).length > answered.length);
      const more = await answeredByNext();
      expect(more).toEqual(expect.arrayContaining([...answered]));
      answered = more;
    }
    expect(answered).toHaveLength(40);
    expect(await front.shadows.switchBack('erp', operator)).toBe(true);
    await noticed(false);
  });

  test('is rolled back where answers differ, and stays where the differences are accepted', async () => {
    next.alter = (answer) => ({ ...answer, amount: '99.00' });
    await start({ rollback: { requestsMin: 5 } });
    await front.read('A-1');
    await until('a difference', async () => (await differences()).length === 1);
    await front.shadows.setShare('erp', 'answered', { operation: '', caller: '', percent: 100 }, operator);
    await until('the switch', async () => (await front.read('A-2')).body.amount === 99);
    for (let at = 0; at < 10; at += 1) await front.read('A-3');
    await until('the way back', async () => (await front.read('A-4')).body.amount === 10.5);
    await until('the store', async () =>
      (await front.shadows.load()).shares.every(({ answered }) => answered === undefined),
    );

    const [found] = await front.shadows.list();
    await front.shadows.accept(found!.id, 'the new prices', operator);
    await front.shadows.setShare('erp', 'answered', { operation: '', caller: '', percent: 100 }, operator);
    await until('the switch', async () => (await front.read('A-2')).body.amount === 99);
    for (let at = 0; at < 30; at += 1) expect((await front.read('A-3')).body.amount).toBe(99);
  });

  test('is rolled back where the shadow fails', async () => {
    await start({ share: 0, rollback: { requestsMin: 5, errors: 20 } });
    await front.shadows.setShare('erp', 'answered', { operation: '', caller: '', percent: 100 }, operator);
    await noticed(true);
    await next[Symbol.asyncDispose]();
    const statuses: number[] = [];
    for (let at = 0; at < 12; at += 1) statuses.push((await front.read(`A-${at}`)).status);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    await until('the store', async () =>
      (await front.shadows.load()).shares.every(({ answered }) => answered === undefined),
    );
  });

  test('never reaches a sandbox for requests that write', async () => {
    await start({ writes: 'sandbox', share: 0 });
    await front.shadows.setShare('erp', 'answered', { operation: '', caller: '', percent: 100 }, operator);
    await noticed(true);
    await front.write('W-1');
    expect([old.effects, next.effects]).toEqual([['W-1'], []]);
  });
});

test('operators learn which earlier shares remain, and which differences the configuration accepts', async () => {
  next.alter = (answer) => ({ ...answer, amount: '99.00' });
  const rules = { accepted: [{ path: 'amount', reason: 'the new prices' }] };
  await start({ rules });
  await front.read('A-1');
  await until('a difference', async () => (await differences()).length === 1);
  const shadow = { url: next.url, credentials: 'none', rules } as const;
  const shadows = describeShadows({ erp: { url: old.url, credentials: 'none', shadow } });
  const { backend } = front;
  const context = { backend, shadows, by: operator, services: [desk], config: { databaseUrl: '' } } as never;
  const { differences: listed } = await shadowHandlers.listShadowDifferences({}, context);
  expect(listed).toMatchObject([{ reason: 'the new prices', acceptedBy: 'the configuration' }]);
  const switchTo = (percent: number, operation?: string) =>
    shadowHandlers.switchToShadow({ upstream: 'erp', percent, operation }, context);
  expect(await switchTo(0, 'Desk.addEntry')).toEqual({ upstream: 'erp', remaining: [] });
  const remaining = [{ operation: 'Desk.addEntry', percent: 0 }];
  expect(await switchTo(100)).toEqual({ upstream: 'erp', remaining });
  expect(await switchTo(100, 'Desk.addEntry')).toEqual({ upstream: 'erp', remaining: [] });
});

test('the retry of a request whose outcome is unknown goes to the side that had it, also after the way back', async () => {
  const effects: string[] = [];
  let isCutOff = true;
  await using server = await startUpstreamServer((response, { headers, body, url }, socket) => {
    if (url.endsWith('getEntry'))
      return answerJson(response, 200, { ...entry, number: 'A-1', bookedAt: '2026-01-31T12:00:00Z' });
    const key = String(headers['idempotency-key']);
    if (!effects.includes(key)) effects.push(key);
    if (isCutOff) socket.resetAndDestroy();
    else answerJson(response, 200, { status: `added ${JSON.parse(body).number}` });
  });
  await start(
    { url: server.url, share: 0, rollback: { errors: 100 } },
    { upstream: { idempotency: 'header', format: 'json' } },
  );
  await front.shadows.setShare('erp', 'answered', { operation: '', caller: '', percent: 100 }, operator);
  await until('the switch', async () => {
    await front.read('A-1');
    return server.received.length > 0;
  });
  const keyed = () => front.write('W-1', 'a-key-of-sixteen-1');
  expect((await keyed()).status).toBe(502);
  await front.shadows.switchBack('erp', operator);
  const before = old.reads.length;
  await until('the way back', async () => {
    await front.read('A-1');
    return old.reads.length > before;
  });
  expect((await keyed()).status).toBe(502);
  expect([effects.length, old.effects]).toEqual([1, []]);
  isCutOff = false;
  expect(await keyed()).toEqual({ status: 200, body: { status: 'added W-1' } });
  expect(await keyed()).toEqual({ status: 200, body: { status: 'added W-1' } });
  expect([effects.length, old.effects]).toEqual([1, []]);
  // Another request is one of the old side.
  expect((await front.write('W-2', 'a-key-of-sixteen-2')).body).toEqual({ status: 'added' });
  expect([effects.length, old.effects]).toEqual([1, ['W-2']]);
});

test('faults of the configuration name their member', () => {
  const plan = (shadow: object) =>
    planUpstreams(
      { upstreams: { erp: { url: 'http://127.0.0.1:1', credentials: 'none', shadow: shadow as ShadowOptions } } },
      [desk.answeredBy('erp')],
      readSources(),
    ).faults;
  expect(plan({})).toEqual([
    expect.stringContaining('upstreams.erp.shadow.url is missing'),
    expect.stringContaining('upstreams.erp.shadow.credentials is missing'),
  ]);
  const shadow = { url: 'http://127.0.0.1:2', credentials: 'none' };
  expect(plan(shadow)).toEqual([]);
  expect(plan({ ...shadow, share: 101 })).toEqual([expect.stringContaining('upstreams.erp.shadow.share is 101')]);
  expect(plan({ ...shadow, shadow })).toEqual([expect.stringContaining('upstreams.erp.shadow.shadow is not known')]);
  expect(plan({ ...shadow, operations: ['Desk.none'] })).toEqual([
    expect.stringContaining('Desk has no operation none'),
  ]);
  expect(plan({ ...shadow, rules: { ignore: ['amonut'] } })).toEqual([
    'upstreams.erp.shadow.rules: no answer has amonut.',
  ]);
});

test('a live gateway sends no copies over plain http, and check names the shadow', async () => {
  const shadow = { url: 'http://new.example.com', credentials: 'none' } as const;
  const upstreams = { erp: { url: 'https://erp.example.com', credentials: 'none', shadow } } as const;
  const { plan } = planUpstreams({ upstreams }, [desk.answeredBy('erp')], readSources());
  expect(describeUpstreams(plan!, [desk], 'triglyph.config.ts').join('\n')).toContain(
    'shadow       http://new.example.com  (json; gets 100 % of the requests that read)',
  );
  const live = startFront({
    old: 'https://erp.example.com',
    upstream: { credentials: 'none' },
    shadow,
    settings: { ENVIRONMENT: 'live' },
  });
  await expect(live).rejects.toThrow(/upstreams\.erp\.shadow/);
});
