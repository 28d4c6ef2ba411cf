/** An updater behind a URL: what it is asked, as what, how often; and what comes of one that is slow, down or hostile. */

import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { VaultUnavailable } from '../../src/core/vault/ports.ts';
import { createCheckHandler } from '../../src/payments/recurring/account-updater/account-updater.ts';
import { createUpdaterEvents, type UpdaterEvent } from '../../src/payments/recurring/account-updater/events.ts';
import { createHttpUpdater } from '../../src/payments/recurring/account-updater/http/updater.ts';
import { CardChangeReader } from '../../src/payments/recurring/account-updater/store/card-changes.ts';
import type { Updater } from '../../src/payments/recurring/account-updater/updater.ts';
import { recurringV25 as service } from '../../src/payments/recurring/versions.ts';
import { perform } from '../support/background-jobs.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { callsOf, cardOf, fresh, named, protocols } from '../support/recurring-calls.ts';
import { until } from '../support/until.ts';
import { answerByCard, down, say, startUpdater, type TestUpdater } from '../support/updater.ts';

type Asked = Extract<Updater, { kind: 'http' }>;

const operation = service.operations.get('scheduleAccountUpdater')!;

const renewed = '4000009900000020';
const replaced = '4000009900000038';
const closed = '4000009900000046';
/** Longer than a busy machine stops this process. */
const msMax = 2_000;

let outside: TestUpdater;
let gateway: TestGateway;
let events: UpdaterEvent[];
/** Stands between the gateway and the adapter, where a test wants to be in the way. */
let around: (ask: Asked['check']) => Asked['check'];

beforeAll(async () => {
  outside = await startUpdater();
});
afterAll(() => outside.close());
beforeEach(async () => {
  outside.answer = answerByCard;
  outside.asked.length = 0;
  events = [];
  around = (ask) => ask;
  const watch = createUpdaterEvents();
  watch.listen((event) => events.push(event));
  gateway = await openGateway({
    updater: ({ vault }) => {
      const options = { url: outside.url, secret: 'hush', msMax };
      const { check } = createHttpUpdater(options, { vault, events: watch, clock: { now: Date.now } });
      return { kind: 'http', check: (card, id) => around(check)(card, id) };
    },
  });
});
afterEach(() => gateway.close());

const { ask, check, list, store } = callsOf(() => gateway);

const goOn = async (): Promise<number> => {
  const { parts } = gateway;
  if (parts.updater.kind !== 'http') throw new Error('the updater is not the http one');
  await parts.pass(600_000);
  return perform(parts, createCheckHandler(parts.store, parts.context, parts.updater));
};

const outcomes = async (shopperReference: string): Promise<readonly string[]> => {
  const known = await gateway.parts.store.read((tx) =>
    tx.repository(CardChangeReader).findHistory({
      company: 'Demo',
      merchantAccount: 'DemoMerchant',
      shopperReference,
    }),
  );
  return known!.details.flatMap(({ changes }) => changes.map(({ outcome }) => outcome));
};

const ids = () => outside.asked.map(({ id }) => id);

describe('what it is asked', () => {
  test('the number and its expiry, by a secret, under a name of its own; and nothing else', async () => {
    const shopper = fresh();
    await check('json', named(shopper, await store(shopper, renewed)));
    expect(outside.asked).toEqual([
      {
        id: expect.stringMatching(/^[\w-]{43}$/),
        authorization: 'Bearer hush',
        contentType: 'application/json',
        body: { number: renewed, expiryMonth: '3', expiryYear: '2027' },
      },
    ]);
  });

  test('each check without a key is a question of its own', async () => {
    const shopper = fresh();
    const reference = await store(shopper, '4000009900000012');
    for (const name of ['json', 'soap11'] as const) await check(name, named(shopper, reference));
    expect(new Set(ids()).size).toBe(2);
  });

  test('a stored outcome is replayed in another format without another lookup', async () => {
    const shopper = fresh();
    const reference = await store(shopper, replaced);
    expect(await check('json', named(shopper, reference), 'key-0000000000001')).toBe('PANChanged');
    gateway.restart();
    expect(await check('soap12', named(shopper, reference), 'key-0000000000001')).toBe('PANChanged');
    expect(outside.asked).toHaveLength(1);
    expect(await outcomes(shopper)).toEqual(['PANChanged']);
  });

  test('a retry of a lookup without a stored outcome uses the same id; another card under the same key does not', async () => {
    const shopper = fresh();
    const reference = await store(shopper, closed);
    const other = await store(shopper, renewed);
    let failures = 2;
    around = (ask) => async (card, id) => {
      const outcome = await ask(card, id);
      if (failures-- > 0) throw new VaultUnavailable('after it was asked');
      return outcome;
    };
    const key = 'key-0000000000002';
    const ask503 = async (input: object) => {
      const described = { merchantAccount: 'DemoMerchant', reference: 'check', ...input };
      const { path, contentType, body } = protocols.json.encodeRequest(service, operation, described);
      const headers = { 'content-type': contentType, 'idempotency-key': key, ...callers.demo };
      expect((await gateway.ask({ path, headers, body })).entry.outcome).toBe('unavailable');
    };
    await ask503(named(shopper, reference));
    await ask503(named(shopper, other));
    expect(await check('form', named(shopper, reference), key)).toBe('CloseAccount');
    const [first, second, third] = ids();
    expect(third).toBe(first);
    expect(second).not.toBe(first);
    expect(await outcomes(shopper)).toEqual(['CloseAccount']);
  });

  test('the job repeats an unanswered lookup under the same id until it is answered, and the effect happens once', async () => {
    const shopper = fresh();
    const reference = await store(shopper, replaced);
    outside.answer = down;
    expect(await check('soap11', named(shopper, reference), 'key-0000000000003')).toBe('Success');
    // The retry during the outage and the later one get the answer of the first request.
    expect(await check('json', named(shopper, reference), 'key-0000000000003')).toBe('Success');
    expect(await goOn()).toBe(0);
    outside.answer = answerByCard;
    await wait(1_100);
    expect(await goOn()).toBe(1);
    expect(await goOn()).toBe(0);
    gateway.restart();
    expect(await check('form', named(shopper, reference), 'key-0000000000003')).toBe('Success');
    expect(new Set(ids()).size).toBe(1);
    expect(await outcomes(shopper)).toEqual(['PANChanged']);
  });

  test('"Success" is no answer yet: the job asks again', async () => {
    const shopper = fresh();
    const reference = await store(shopper, closed);
    outside.answer = (_, response) => say(response, { result: 'Success' });
    expect(await check('json', named(shopper, reference))).toBe('Success');
    expect(await goOn()).toBe(0);
    outside.answer = answerByCard;
    expect(await goOn()).toBe(1);
    expect(new Set(ids()).size).toBe(1);
    expect(await list('json', shopper)).toEqual([]);
  });
});

test('one that fails once is asked once more within the request', async () => {
  const shopper = fresh();
  const reference = await store(shopper, closed);
  outside.answer = (question, response) => {
    outside.answer = answerByCard;
    down(question, response, undefined as never);
  };
  expect(await check('json', named(shopper, reference))).toBe('CloseAccount');
  expect(outside.asked).toHaveLength(2);
  expect(new Set(ids()).size).toBe(1);
});

test('a slow updater is not waited for; its late response is ignored and asked for again', async () => {
  const shopper = fresh();
  const reference = await store(shopper, closed);
  let answered = false;
  outside.answer = (question, response, request) => {
    setTimeout(() => {
      answered = true;
      answerByCard(question, response, request);
    }, msMax + 300);
  };
  expect(await check('json', named(shopper, reference))).toBe('Success');
  expect(answered).toBe(false);
  await until('the late answer', () => answered);
  await wait(100);
  expect(await list('json', shopper)).toHaveLength(1);
  outside.answer = answerByCard;
  expect(await goOn()).toBe(1);
  expect(await list('json', shopper)).toEqual([]);
  expect(await outcomes(shopper)).toEqual(['CloseAccount']);
});

test('one that is down is left alone after five failures, and tried again after a second', async () => {
  const shopper = fresh();
  const reference = await store(shopper, renewed);
  outside.answer = down;
  for (let times = 0; times < 6; times++) await check('json', named(shopper, reference));
  expect(outside.asked).toHaveLength(5);
  expect(events.map(({ kind }) => kind)).toContain('skipped');
  expect(events).toContainEqual({ kind: 'down', reason: 'status 503' });
  outside.answer = answerByCard;
  await wait(1_100);
  expect(await check('json', named(shopper, reference))).toBe('CardExpiryChanged');
  expect(events).toContainEqual({ kind: 'up' });
});

describe('what has changed meanwhile', () => {
  const pendingOf = async (number: string, expiryYear = '2027') => {
    const shopper = fresh();
    const reference = await store(shopper, number, { card: cardOf(number, expiryYear) });
    outside.answer = (_, response) => say(response, { result: 'Success' });
    expect(await check('json', named(shopper, reference))).toBe('Success');
    outside.answer = answerByCard;
    return { shopper, reference };
  };

  test('a card that the shopper has given anew, with a later expiry, stays as it is', async () => {
    const { shopper } = await pendingOf(renewed);
    await store(shopper, renewed, { card: cardOf(renewed, '2036') });
    const before = await list('json', shopper);
    expect(await goOn()).toBe(1);
    expect(await list('json', shopper)).toEqual(before);
    expect(await outcomes(shopper)).toEqual([]);
  });

  test('a detail that holds another card by now is left alone', async () => {
    const { shopper, reference } = await pendingOf(replaced);
    expect(await check('json', named(shopper, reference))).toBe('PANChanged');
    const before = await list('json', shopper);
    outside.answer = (_, response) => say(response, { result: 'CloseAccount' });
    expect(await goOn()).toBe(1);
    expect(await list('json', shopper)).toEqual(before);
    expect(await outcomes(shopper)).toEqual(['PANChanged']);
  });

  test('a detail that was disabled stays so', async () => {
    const { shopper, reference } = await pendingOf(renewed);
    await ask('json', 'disable', { shopperReference: shopper, recurringDetailReference: reference });
    expect(await goOn()).toBe(1);
    expect(await list('json', shopper)).toEqual([]);
    expect(await outcomes(shopper)).toEqual([]);
  });
});

describe('a hostile one changes nothing', () => {
  const news = { newExpiryMonth: '3', newExpiryYear: '2031' };
  const other = '4000009900000012';
  const json = (answer: unknown) => (response: Parameters<typeof say>[0]) => say(response, answer);
  let elsewhere: TestUpdater;
  beforeAll(async () => {
    elsewhere = await startUpdater();
  });
  afterAll(() => elsewhere.close());

  test.each<[string, UpdaterEvent['kind'], (response: Parameters<typeof say>[0]) => void]>([
    ['a number that is none', 'malformed', json({ result: 'PANChanged', newNumber: '4111111111111112', ...news })],
    ['a number of letters', 'malformed', json({ result: 'PANChanged', newNumber: '4111-1111', ...news })],
    ['the number that it was', 'malformed', json({ result: 'PANChanged', newNumber: replaced, ...news })],
    ['no number', 'malformed', json({ result: 'PANChanged', ...news })],
    ['month 13', 'malformed', json({ result: 'CardExpiryChanged', newExpiryMonth: '13', newExpiryYear: '2031' })],
    ['year 99', 'malformed', json({ result: 'CardExpiryChanged', newExpiryMonth: '3', newExpiryYear: '99' })],
    ['half an expiry', 'malformed', json({ result: 'CardExpiryChanged', newExpiryMonth: '3' })],
    ['a renewal with a number', 'malformed', json({ result: 'CardExpiryChanged', newNumber: other, ...news })],
    ['a closed account with an expiry', 'malformed', json({ result: 'CloseAccount', ...news })],
    ['an unknown field', 'malformed', json({ result: 'CloseAccount', note: '4111111111111111' })],
    ['an unknown result', 'malformed', json({ result: 'Stolen' })],
    ['no result', 'malformed', json({})],
    ['null', 'malformed', json(null)],
    ['a list', 'malformed', json([{ result: 'CloseAccount' }])],
    ['no JSON', 'malformed', (response) => say(response, '<CloseAccount/>')],
    [
      'JSON of one name twice',
      'malformed',
      (response) => say(response, '{"result":"NoChange","result":"CloseAccount"}'),
    ],
    ['nothing', 'malformed', (response) => say(response, '')],
    ['another content type', 'refused', (response) => say(response, { result: 'CloseAccount' }, 200, 'text/html')],
    ['another status', 'refused', (response) => say(response, { result: 'CloseAccount' }, 201)],
    ['a refusal', 'refused', (response) => say(response, { result: 'CloseAccount' }, 400)],
    ['a redirect to an updater', 'refused', (response) => response.writeHead(307, { location: elsewhere.url }).end()],
    [
      '10 MB',
      'refused',
      (response) => {
        response.on('error', () => {});
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`{"result":"${'x'.repeat(10_000_000)}"}`);
      },
    ],
    [
      'a byte now and then',
      'failed',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(drip));
      },
    ],
    ['a connection that breaks', 'failed', (response) => response.socket?.destroy()],
    [
      'an answer that breaks off',
      'failed',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{"result":"CloseAccount"}');
        setTimeout(() => response.socket?.destroy(), 20);
      },
    ],
  ])('%s', async (_, kind, answer) => {
    const shopper = fresh();
    const reference = await store(shopper, replaced);
    const before = await list('json', shopper);
    outside.answer = (_question, response) => answer(response);
    expect(await check('json', named(shopper, reference))).toBe('Success');
    expect(events.map((event) => event.kind)).toContain(kind);
    expect(JSON.stringify(events)).not.toMatch(/\d{8}/);
    expect(await goOn()).toBe(0);
    expect(await list('json', shopper)).toEqual(before);
    expect(await outcomes(shopper)).toEqual([]);
    expect(elsewhere.asked).toEqual([]);
    // The control: it is by its answer that nothing has changed.
    outside.answer = answerByCard;
    await wait(events.some((event) => event.kind === 'down') ? 1_100 : 0);
    expect(await goOn()).toBe(1);
    expect(await outcomes(shopper)).toEqual(['PANChanged']);
  });
});

test('one that is not there', async () => {
  const watch = createUpdaterEvents();
  const events: UpdaterEvent[] = [];
  watch.listen((event) => events.push(event));
  const { vault, clock } = gateway.parts.context;
  const nowhere = createHttpUpdater(
    { url: 'http://127.0.0.1:1/', secret: undefined, msMax },
    { vault, clock, events: watch },
  );
  const card = {
    company: 'Demo',
    fingerprint: 'f',
    expiry: { expiryMonth: '3', expiryYear: '2030' },
    number: () => closed,
  };
  expect(await nowhere.check(card, 'id')).toEqual({ kind: 'pending' });
  expect(events).toEqual([
    { kind: 'failed', reason: expect.stringMatching(/^\w+$/) },
    { kind: 'failed', reason: expect.stringMatching(/^\w+$/) },
  ]);
});
