/** The recorder of callers: what it counts, what it keeps in memory, and what it does while the store fails. */
import { describe, expect, test } from '@jest/globals';
import type { Operation } from '../../src/core/contract/operation.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import type { CallerUpdate } from '../../src/insight/callers/caller-record.ts';
import { createNameClient } from '../../src/insight/callers/client-name.ts';
import { openRequest } from '../../src/insight/callers/last-request.ts';
import {
  type AnsweredCall,
  type CallerRecorder,
  createCallerRecorder,
  type RecorderParts,
} from '../../src/insight/callers/recorder.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { ring } from '../support/fixture.ts';

const vault = createVault(ring);
const storeToken = recurringV25.operations.get('storeToken')! as Operation;
const dayMs = 86_400_000;
const card = { number: '4111111111111111', cvc: '737', holderName: 'Anna', expiryMonth: '3', expiryYear: '2030' };
const input = { merchantAccount: 'M', shopperReference: 'S', card };

function open(fails: () => boolean = () => false, also: Partial<RecorderParts> = {}) {
  const saved: CallerUpdate[][] = [];
  const time = { now: Date.UTC(2026, 0, 15, 23, 59, 59) };
  const created = createCallerRecorder({
    records: {
      async add(updates) {
        if (fails()) throw new Error('the store is away');
        saved.push([...updates]);
      },
    },
    vault,
    clock: { now: () => time.now },
    ...also,
  });
  const nameClient = createNameClient();
  const record: CallerRecorder['record'] = (headers, { entry, ...rest }) =>
    created.record(headers, { entry: { client: nameClient(headers, entry.protocol), ...entry }, ...rest });
  const recorder: CallerRecorder = { ...created, record };
  return { recorder, saved, time, updates: () => saved.flat() };
}

const entry = {
  protocol: 'soap11',
  service: 'Recurring',
  version: 25,
  requestedVersion: 12,
  operation: 'storeToken',
  credential: 'c1',
  tenant: 'Demo',
  outcome: 'ok',
} as const;
const decoded = { operation: storeToken, input, issues: [] };
const refused = { outcome: 'invalidCard', problem: { type: 'validation', status: 422 } } as const;
const failed = { outcome: 'unavailable', problem: { type: 'internal', status: 503 } } as const;
const off = { outcome: 'brownOut', problem: { type: 'validation', status: 410 }, deprecation: 'refused' } as const;
const call = (also: Partial<AnsweredCall['entry']> = {}): AnsweredCall => ({ entry: { ...entry, ...also }, decoded });
const agent = (name: string) => ({ 'user-agent': name });

describe('counting', () => {
  test('adds up by outcome, in days of UTC, and keeps the first and the last use', async () => {
    const { recorder, updates, time } = open();
    const first = time.now;
    for (const also of [{}, {}, refused, failed, off]) recorder.record(agent('PHP'), call(also));
    time.now += 2_000;
    recorder.record(agent('PHP'), call({ deprecation: 'exempt' }));
    await recorder.flush();
    expect(updates()).toHaveLength(1);
    const day = Math.floor(first / dayMs);
    const none = { succeeded: 0, refused: 0, failed: 0, switchedOff: 0, exempt: 0 };
    expect(updates()[0]).toMatchObject({
      use: {
        tenant: 'Demo',
        credential: 'c1',
        service: 'Recurring',
        operation: 'storeToken',
        version: 12,
        format: 'soap11',
        client: 'PHP, SOAPAction absent',
      },
      firstUsedAt: first,
      lastUsedAt: first + 2_000,
      lastOutcome: 'ok',
      days: [
        { ...none, day, succeeded: 2, refused: 1, failed: 1, switchedOff: 1 },
        { ...none, day: day + 1, succeeded: 1, exempt: 1 },
      ],
    });
    await recorder.flush();
    expect(updates()).toHaveLength(1);
  });

  test('each use has a record of its own, with an id that stays', async () => {
    const { recorder, saved } = open();
    const uses = [
      {},
      { operation: 'disable' },
      { protocol: 'json' },
      { requestedVersion: undefined },
      { credential: 'c2' },
    ];
    for (const also of uses) recorder.record(agent('PHP'), call(also));
    recorder.record(agent('Perl'), call());
    await recorder.flush();
    recorder.record(agent('PHP'), call());
    await recorder.flush();
    const ids = saved[0]!.map(({ id }) => id);
    expect(new Set(ids).size).toBe(6);
    expect(saved[1]!.map(({ id }) => id)).toEqual([ids[0]]);
    expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
  });

  test('a request is recorded as far as it got', async () => {
    const { recorder, updates } = open();
    const nothing = { service: undefined, version: undefined, requestedVersion: undefined, operation: undefined };
    const unauthorized = { outcome: 'unauthorized', problem: { type: 'security', status: 401 } };
    recorder.record({}, { entry: { ...entry, ...nothing, ...unauthorized, credential: undefined, tenant: undefined } });
    // Another server has refused the credential.
    recorder.record({}, call(unauthorized));
    await recorder.flush();
    const [one, another] = updates();
    expect(one!.use).toMatchObject({ tenant: '', credential: '', service: '', operation: '', version: undefined });
    expect(another!.use).toMatchObject({ tenant: '', credential: '', operation: 'storeToken' });
    expect(updates().map(({ request }) => request)).toEqual([undefined, undefined]);
  });
});

describe('the last request', () => {
  const last = async (...calls: readonly AnsweredCall[]) => {
    const { recorder, updates } = open();
    for (const each of calls) recorder.record({}, each);
    await recorder.flush();
    const [{ id, request }] = updates() as [CallerUpdate];
    return request && openRequest(vault, 'Demo', id, request);
  };

  test('is the last one that could be read, with its secrets masked', async () => {
    const newer = { ...decoded, input: { ...input, shopperReference: 'T' } };
    const unread = { ...decoded, input: {}, issues: [{}] };
    expect(await last(call(), { ...call(), decoded: newer }, { ...call(refused), decoded: unread })).toEqual({
      version: 25,
      credential: 'apiKey',
      input: { merchantAccount: 'M', shopperReference: 'T', card: { ...card, number: '************1111', cvc: '***' } },
    });
  });

  test('has no card number in a text, whatever the service', async () => {
    const numbers = { ...decoded, input: { ...input, shopperReference: '4111 1111 1111 1111' } };
    const shown = async (also: Partial<RecorderParts>) => {
      const { recorder, updates } = open(undefined, also);
      recorder.record({}, { ...call(), decoded: numbers });
      await recorder.flush();
      const [{ id, request }] = updates() as [CallerUpdate];
      return openRequest(vault, 'Demo', id, request!).input;
    };
    expect(await shown({})).toMatchObject({ shopperReference: '**** **** **** 1111' });
    // The control.
    expect(await shown({ mask: (_, value) => value })).toMatchObject({ shopperReference: '4111 1111 1111 1111' });
  });

  const secrets = ['4111111111111111', '737', '411111'];
  /** The secrets that are found in what is stored, sealed or opened. */
  const found = (updates: readonly CallerUpdate[]) => {
    const opened = updates.map(({ use, id, request }) => request && openRequest(vault, use.tenant, id, request));
    const text = JSON.stringify([updates, opened]);
    return secrets.filter((secret) => text.includes(secret));
  };

  test('has no secrets, and is sealed for its record', async () => {
    const { recorder, updates } = open();
    recorder.record({}, call());
    await recorder.flush();
    expect(found(updates())).toEqual([]);
    const { id, request } = updates()[0]!;
    expect(JSON.stringify(updates())).not.toContain('Anna');
    expect(() => openRequest(vault, 'Other', id, request!)).toThrow();
    expect(() => openRequest(vault, 'Demo', 'another', request!)).toThrow();
  });

  test('control: the same check finds the secrets of a request that was not masked', async () => {
    const { recorder, updates } = open();
    const fields = Object.entries(storeToken.input.fields);
    const unmasked = { ...storeToken, input: { ...storeToken.input, fields: Object.fromEntries(fields.slice(0, 0)) } };
    recorder.record({}, { ...call(), decoded: { ...decoded, operation: unmasked } });
    await recorder.flush();
    expect(found(updates())).toEqual(secrets);
  });

  test('one that is too large is left out, and still counted', async () => {
    const huge = { ...decoded, input: { ...input, shopperReference: 'x'.repeat(20_000) } };
    expect(await last({ ...call(), decoded: huge })).toBeUndefined();
  });
});

describe('bounds', () => {
  test('names that a caller makes up end in one record of its credential, and no other is affected', async () => {
    const { recorder, updates } = open();
    for (let at = 0; at < 3_000; at += 1) recorder.record(agent(`bot-${at}`), call());
    recorder.record(agent('PHP'), call({ credential: 'c2' }));
    await recorder.flush();
    expect(updates()).toHaveLength(502);
    const surplus = updates().find(({ use }) => use.format === 'other')!;
    expect(surplus.use).toEqual({
      ...{ tenant: 'Demo', credential: 'c1', service: 'other', operation: 'other' },
      ...{ version: undefined, format: 'other', client: 'other' },
    });
    expect(surplus.days[0]!.succeeded).toBe(2_500);
    expect(surplus.request).toBeUndefined();
    expect(updates().some(({ use }) => use.credential === 'c2' && use.client.startsWith('PHP'))).toBe(true);
  });

  test('more credentials than the limit end in one record', async () => {
    const { recorder, updates } = open();
    for (let at = 0; at < 5_000; at += 1) recorder.record({}, { entry: { ...entry, credential: `c${at}` } });
    await recorder.flush();
    expect(updates()).toHaveLength(2_001);
    expect(updates().at(-1)).toMatchObject({ use: { tenant: '', credential: 'other' }, days: [{ succeeded: 3_000 }] });
  });

  test('few requests wait in memory; the other uses are counted without', async () => {
    const { recorder, updates } = open();
    for (let at = 0; at < 400; at += 1) recorder.record(agent(`client-${at}`), call());
    await recorder.flush();
    expect(updates()).toHaveLength(400);
    expect(updates().filter(({ request }) => request !== undefined)).toHaveLength(256);
  });
});

describe('while the store fails', () => {
  test('nothing is lost or counted twice, and memory stays bounded', async () => {
    let away = true;
    const { recorder, updates } = open(() => away);
    for (let round = 0; round < 20; round += 1) {
      for (let at = 0; at < 1_000; at += 1)
        recorder.record(agent(`c-${at % 300}-${round}`), call({ credential: `x${at % 7}` }));
      recorder.record(agent('steady'), call());
      await expect(recorder.flush()).rejects.toThrow('the store is away');
    }
    away = false;
    await recorder.flush();
    const total = updates().reduce(
      (sum, { days }) => sum + days.reduce((each, { succeeded }) => each + succeeded, 0),
      0,
    );
    expect(total).toBe(20_020);
    expect(updates().length).toBeLessThanOrEqual(2_100);
    const steady = updates().find(({ use }) => use.client.startsWith('steady'))!;
    expect(steady.days).toMatchObject([{ succeeded: 20 }]);
    expect(updates().filter(({ request }) => request !== undefined).length).toBeLessThanOrEqual(512);
  });

  test('what comes while a flush waits is saved by the next one', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const saved: CallerUpdate[] = [];
    const recorder = createCallerRecorder({
      records: {
        async add(updates) {
          await promise;
          saved.push(...updates);
        },
      },
      vault,
      clock: { now: () => 1 },
    });
    recorder.record({}, call());
    const first = recorder.flush();
    recorder.record({}, call());
    const second = recorder.flush();
    resolve();
    await Promise.all([first, second]);
    expect(saved.map(({ days }) => days[0]!.succeeded)).toEqual([1, 1]);
  });
});
