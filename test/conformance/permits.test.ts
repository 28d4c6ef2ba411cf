/** Permits of stored details: created and disabled once, in every format; they end with their date and with their detail. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { contractOf } from '../../src/core/contract/service.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import type { RecurringEventData } from '../../src/payments/recurring/events.ts';
import { PermitReader } from '../../src/payments/recurring/permits/store.ts';
import { tokenizationFormat } from '../../src/payments/recurring/webhooks/tokenization.ts';
import { keyScope } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import { callers, now } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let time: number;
beforeEach(async () => {
  time = now;
  gateway = await openGateway({ clock: { now: () => time } });
  const { endpoints, context } = gateway.parts;
  const sealed = context.vault.seal(keyScope({ tenant: 'Demo', endpointId: 'we_1' }), { payload: '00'.repeat(32) });
  const url = 'https://shop.example.com/';
  await endpoints.add({
    ...{ tenant: 'Demo', endpointId: 'we_1', url, format: 'tokenization', sealed },
    eventTypes: ['recurring.permit.created', 'recurring.permit.disabled'],
    createdAt: 1,
  });
});
afterEach(() => gateway.close());

const protocols = createProtocols(services);
/** The adapter has the operations of version 25, which lacks permits. */
const formats = namedProtocols.filter((name) => name !== 'adapter');

interface Call {
  readonly operation?: string;
  readonly version?: number;
  readonly input?: object;
  readonly key?: string;
  readonly who?: keyof typeof callers;
}

const detail = '8313147988756818';
const right = { shopperReference: 'shopper-1', recurringDetailReference: detail };

const call = async (
  name: NamedProtocol,
  { operation = 'createPermit', version = 68, input = {}, key, who = 'demo' }: Call,
) => {
  const service = { ...contractOf(services, 'Recurring', version)!, version };
  const described = service.operations.get(operation)!;
  const asked = { merchantAccount: 'DemoMerchant', ...input };
  const { path, contentType, body } = protocols[name].encodeRequest(service, described, asked);
  const headers = { 'content-type': contentType, ...callers[who], ...(key && { 'idempotency-key': key }) };
  const { message, entry } = await gateway.ask({ path, headers, body });
  const output = entry.outcome === 'ok' ? protocols[name].decodeResponse(described, message.body).value : undefined;
  return { output: output as Readonly<Record<string, unknown>> | undefined, message, entry };
};

const permits = [
  {
    partnerId: 'partner-1',
    profileReference: 'profile-1',
    restriction: {
      maxAmount: { currency: 'EUR', value: 10_000 },
      singleTransactionLimit: { currency: 'EUR', value: 2_500 },
      singleUse: false,
    },
    resultKey: 'first',
    validTillDate: now + 86_400_000,
  },
  { resultKey: 'second', restriction: { singleUse: true } },
];

/** The valid permits of the detail. */
const stored = (of = detail) =>
  gateway.parts.store.read((tx) =>
    tx.repository(PermitReader).findOfDetail({ company: 'Demo', merchantAccount: 'DemoMerchant' }, of, time),
  );
const tokensOf = (output: unknown) =>
  (output as { permitResultList: readonly { token: string }[] }).permitResultList.map(({ token }) => token);
const create = async (only = permits) => tokensOf((await call('json', { input: { ...right, permits: only } })).output);
const disablePermit = (name: NamedProtocol, token: string, more: Call = {}) =>
  call(name, { operation: 'disablePermit', input: { token }, ...more });

/** Takes the queued events; they count as delivered. */
const takeEvents = async () => {
  const { jobs, store } = gateway.parts;
  const events: RecurringEventData[] = [];
  for (;;) {
    // The events of a shopper are taken one after the other.
    const taken = await jobs.take('webhook', { leaseOwner: 'test', leaseMs: 60_000, max: 100 });
    if (taken.length === 0) return events;
    for (const job of taken) {
      events.push(JSON.parse(job.payload) as RecurringEventData);
      await store.write((tx) => tx.jobs.end(job));
    }
  }
};

describe.each(formats)('%s', (name) => {
  test('creates permits with their restrictions, once', async () => {
    const parts = { input: { ...right, permits }, key: 'key-of-permits' };
    const first = await call(name, parts);
    expect(first.output).toEqual({
      permitResultList: [
        { resultKey: 'first', token: expect.any(String) },
        { resultKey: 'second', token: expect.any(String) },
      ],
      pspReference: first.entry.requestReference,
    });
    const tokens = tokensOf(first.output);
    const [{ validTillDate, ...content }, other] = permits as [(typeof permits)[0], (typeof permits)[1]];
    const expected = [
      { ...right, token: tokens[0], createdAt: now, validTill: validTillDate, content },
      { ...right, token: tokens[1], createdAt: now, validTill: undefined, content: other },
    ];
    expect(new Set(await stored())).toEqual(new Set(expected));
    gateway.restart();
    const again = await call(name, parts);
    expect([again.output, again.entry.replayed]).toEqual([first.output, true]);
    const changed = await call(name, { ...parts, input: { ...right, permits: permits.slice(1) } });
    expect(changed.entry.outcome).toBe('keyReused');
    expect(await stored()).toHaveLength(2);
  });

  test('disables one permit, once', async () => {
    const [token = '', other] = await create();
    const first = await disablePermit(name, token, { key: 'key-of-disabling' });
    expect(first.output).toEqual({ pspReference: first.entry.requestReference, status: 'disabled' });
    expect((await stored()).map((each) => each.token)).toEqual([other]);
    const again = await disablePermit(name, token, { key: 'key-of-disabling' });
    expect([again.output, again.entry.replayed]).toEqual([first.output, true]);
    expect((await disablePermit(name, token)).entry.outcome).toBe('permitNotFound');
  });

  test.each([
    ['an unknown detail', { ...right, recurringDetailReference: 'unknown', permits }, 'detailNotFound'],
    ['the detail of another shopper', { ...right, shopperReference: 'shopper-2', permits }, 'detailNotFound'],
    ['no permits', { ...right, permits: [] }, 'missingField'],
    ['an end in the past', { ...right, permits: [{ validTillDate: now }] }, 'invalidField'],
    [
      'an unknown currency',
      { ...right, permits: [{ restriction: { maxAmount: { currency: 'XXQ', value: 1 } } }] },
      'invalidField',
    ],
    ['another merchant account', { ...right, merchantAccount: 'OtherMerchant', permits }, 'foreignMerchantAccount'],
  ])('refuses %s, and creates nothing', async (_, input, outcome) => {
    expect((await call(name, { input })).entry.outcome).toBe(outcome);
    expect(await stored()).toEqual([]);
  });
});

test('the place of a wrong date is that of the permit', async () => {
  const input = { ...right, permits: [{}, { resultKey: 'a' }, { validTillDate: now - 1 }].slice(1) };
  const { entry } = await call('json', { input });
  expect(entry.problem?.issues.map(({ path }) => path)).toEqual([
    ['permits', { index: 1, itemName: 'Permit', wrapped: false }, 'validTillDate'],
  ]);
});

test('a permit ends at its date', async () => {
  const [token = '', other = ''] = await create();
  time += 86_400_000;
  expect((await stored()).map((each) => each.token)).toEqual([other]);
  expect((await disablePermit('json', token)).entry.outcome).toBe('permitNotFound');
  expect((await disablePermit('json', other)).entry.outcome).toBe('ok');
});

test('a permit ends with its detail', async () => {
  const [token = ''] = await create();
  const disabled = await call('json', { operation: 'disable', input: right });
  expect(disabled.entry.outcome).toBe('ok');
  expect(await stored()).toEqual([]);
  expect((await disablePermit('json', token)).entry.outcome).toBe('permitNotFound');
});

test('a permit belongs to its merchant account', async () => {
  const [token = ''] = await create();
  const input = { merchantAccount: 'SecondMerchant', token };
  expect((await disablePermit('json', token, { input })).entry.outcome).not.toBe('ok');
  expect(await stored()).toHaveLength(2);
});

test('each permit has an event, which the format tokenization sends', async () => {
  const tokens = await create();
  await disablePermit('json', tokens[0]!);
  const events = await takeEvents();
  const about = { merchantAccount: 'DemoMerchant', ...right };
  expect(events).toMatchObject([
    { kind: 'permitCreated', ...about, token: tokens[0], resultKey: 'first' },
    { kind: 'permitCreated', ...about, token: tokens[1], resultKey: 'second' },
    { kind: 'permitDisabled', ...about, token: tokens[0], resultKey: 'first' },
  ]);
  const keys = { environment: 'test', key: '00'.repeat(32) } as const;
  const sent = events.map((data) => {
    const queued = { eventId: 'e', requestReference: 'P', at: now, data };
    return JSON.parse(tokenizationFormat.encode(queued, keys).body);
  });
  expect(sent.map(({ type }) => type)).toEqual([
    'recurring.permit.created',
    'recurring.permit.created',
    'recurring.permit.disabled',
  ]);
  expect(sent.every(({ type }) => tokenizationFormat.accepts(type))).toBe(true);
  expect(sent[2].data).toEqual({
    merchantAccount: 'DemoMerchant',
    resultKey: 'first',
    shopperReference: 'shopper-1',
    storedPaymentMethodId: detail,
    token: tokens[0],
  });
});

test.each([
  [39, 'createPermit', false],
  [40, 'createPermit', true],
  [60, 'disablePermit', false],
  [61, 'disablePermit', true],
  [67, 'disablePermit', true],
])('version %i, %s: %s', async (version, operation, isServed) => {
  const path = `/pal/servlet/Recurring/v${version}/${operation}`;
  const headers = { 'content-type': 'application/json', ...callers.demo };
  const { entry } = await gateway.ask({ path, headers, body: '{"merchantAccount":"DemoMerchant"}' });
  expect(entry.outcome === 'unknownOperation').toBe(!isServed);
});

test('a caller without the role is refused', async () => {
  expect((await call('json', { input: { ...right, permits }, who: 'withoutRole' })).entry.outcome).toBe('notAllowed');
});

test('contract EXTERNAL is stored and found, and disable does not name it', async () => {
  const card = { number: '4111111111111111', expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk' };
  const input = { shopperReference: 'ext', card, recurring: { contract: ['EXTERNAL'] } };
  expect((await call('soap11', { operation: 'storeToken', input })).entry.outcome).toBe('ok');
  const recurring = { contract: ['EXTERNAL'] };
  const list = await call('form', { operation: 'listRecurringDetails', input: { shopperReference: 'ext', recurring } });
  expect(list.output).toMatchObject({ details: [{ contractTypes: ['EXTERNAL'] }] });
  const refused = { shopperReference: 'ext', contract: ['EXTERNAL'] };
  expect((await call('json', { operation: 'disable', input: refused })).entry.outcome).toBe('invalidContract');
  const disabled = await call('json', { operation: 'disable', input: { shopperReference: 'ext' } });
  expect(disabled.entry.outcome).toBe('ok');
});
