/** Events: each effect on a stored detail is enqueued once, in every format an endpoint asks for; no effect, no event. */

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import { updaterCheck } from '../../src/payments/recurring/account-updater/job-kinds.ts';
import { completeCheck } from '../../src/payments/recurring/account-updater/pending-check.ts';
import type { AccountUpdateOutcome } from '../../src/payments/recurring/account-updater/updater.ts';
import type { RecurringEventData } from '../../src/payments/recurring/events.ts';
import { saveDetail } from '../../src/payments/recurring/save-detail.ts';
import { DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { keyScope } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import { callers, now } from '../support/fixture.ts';
import { type GatewayOptions, openGateway, type TestGateway } from '../support/gateway.ts';

const protocols = createProtocols(services);
const names = namedProtocols;
const service = recurringV25;
const endpointId = 'we_test';

/** As the payload of a job. */
type RecurringEvent = RecurringEventData & {
  readonly eventId: string;
  readonly requestReference: string;
  readonly at: number;
};

let gateway: TestGateway;
const open = async (options?: GatewayOptions) => {
  gateway = await openGateway(options);
  const { endpoints, context: world } = gateway.parts;
  const sealed = world.vault.seal(keyScope({ tenant: 'Demo', endpointId }), { payload: '00'.repeat(32) });
  const url = 'https://shop.example.com/';
  const eventTypes = ['created', 'alreadyExisting', 'updated', 'disabled', 'checked'].map(
    (each) => `recurring.token.${each}`,
  );
  await endpoints.add({ tenant: 'Demo', endpointId, url, format: 'tokenization', eventTypes, sealed, createdAt: 1 });
};
afterEach(() => gateway.close());

/** Takes the queued events in order; they count as delivered. */
const takeEvents = async (): Promise<readonly RecurringEvent[]> => {
  const { jobs, store: details } = gateway.parts;
  const events: RecurringEvent[] = [];
  for (;;) {
    const taken = await jobs.take('webhook', { leaseOwner: 'test', leaseMs: 60_000, max: 100 });
    if (taken.length === 0) return events;
    for (const job of taken) {
      events.push(JSON.parse(job.payload) as RecurringEvent);
      await details.write((tx) => tx.jobs.end(job));
    }
  }
};

const ask = async (
  name: NamedProtocol,
  operation: string,
  input: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly value: Readonly<Record<string, unknown>> }> => {
  const called = service.operations.get(operation)!;
  const { path, contentType, body } = protocols[name].encodeRequest(service, called, {
    merchantAccount: 'DemoMerchant',
    ...input,
  });
  const { message } = await gateway.ask({
    path,
    headers: { 'content-type': contentType, ...callers.demo, ...headers },
    body,
  });
  const { status } = message;
  const value = status === 200 ? protocols[name].decodeResponse(called, message.body).value : {};
  return { status, value: value as Readonly<Record<string, unknown>> };
};

const card = (number = '4000009900000012', more: object = {}) => ({
  number,
  expiryMonth: '3',
  expiryYear: '2030',
  holderName: 'Anna van Dijk',
  ...more,
});
const token = (shopperReference: string, given: object = card(), contract = ['RECURRING']) => ({
  card: given,
  recurring: { contract },
  shopperReference,
});
const shown = (events: readonly RecurringEvent[]) =>
  events.map(({ kind, recurringDetailReference }) => `${kind} ${recurringDetailReference}`);

describe.each(names)('asked in %s', (name) => {
  beforeEach(() => open());

  test('stored, given again, given again with something new', async () => {
    const first = await ask(name, 'storeToken', token('anna'));
    const reference = String(first.value.recurringDetailReference);
    expect(await takeEvents()).toEqual([
      {
        kind: 'created',
        eventId: first.value.pspReference,
        requestReference: first.value.pspReference,
        at: now,
        merchantAccount: 'DemoMerchant',
        shopperReference: 'anna',
        recurringDetailReference: reference,
        variant: 'visa',
        firstPspReference: first.value.pspReference,
      },
    ]);
    await ask(name, 'storeToken', token('anna'));
    await ask(name, 'storeToken', token('anna', card(undefined, { expiryYear: '2031' })));
    await ask(name, 'storeToken', token('anna', card(undefined, { expiryYear: '2031' }), ['ONECLICK']));
    await ask(name, 'storeToken', token('anna', card(undefined, { expiryYear: '2031' }), ['ONECLICK', 'RECURRING']));
    expect(shown(await takeEvents())).toEqual([
      `alreadyExisting ${reference}`,
      `updated ${reference}`,
      `updated ${reference}`,
      `alreadyExisting ${reference}`,
    ]);
  });

  test('disabled: one, some uses, all, and what is not there', async () => {
    const given = { shopperReference: 'shopper-1' };
    await ask(name, 'disable', { ...given, recurringDetailReference: '8313147988756818', contract: ['ONECLICK'] });
    await ask(name, 'disable', { ...given, recurringDetailReference: '8313147988756818' });
    expect(shown(await takeEvents())).toEqual(['updated 8313147988756818', 'disabled 8313147988756818']);
    await ask(name, 'disable', { ...given, recurringDetailReference: '8313147988756818' });
    await ask(name, 'disable', { shopperReference: 'shopper-2' });
    expect(await takeEvents()).toEqual([]);
    await ask(name, 'disable', given);
    const events = await takeEvents();
    expect(shown(events)).toEqual(['disabled 8415995487234100', 'disabled 8814232895168272']);
    expect(events[1]?.eventId).toBe(`${events[0]?.eventId}.2`);
  });

  test('what a check finds at once', async () => {
    const outcomes = {
      '4000009900000012': [],
      '4000009900000020': ['updated'],
      '4000009900000038': ['updated'],
      '4000009900000046': ['disabled'],
      '4000009900000053': [],
      '4000009900000061': [],
      '4000009900000079': [],
    };
    for (const [number, kinds] of Object.entries(outcomes)) {
      const stored = await ask(name, 'storeToken', token(number, card(number)));
      await takeEvents();
      const checked = await ask(name, 'scheduleAccountUpdater', {
        reference: 'check',
        shopperReference: number,
        selectedRecurringDetailReference: stored.value.recurringDetailReference,
      });
      expect(checked.status).toBe(200);
      const events = await takeEvents();
      expect(shown(events)).toEqual(kinds.map((kind) => `${kind} ${stored.value.recurringDetailReference}`));
      for (const { eventId } of events) expect(eventId).toBe(checked.value.pspReference);
    }
  });

  test('a retry under its key enqueues nothing, nor does one that is refused', async () => {
    const key = { 'idempotency-key': `key-of-${name}-0123456789` };
    await ask(name, 'storeToken', token('anna'), key);
    expect(await takeEvents()).toHaveLength(1);
    gateway.restart();
    expect((await ask(name, 'storeToken', token('anna'), key)).status).toBe(200);
    expect(await takeEvents()).toEqual([]);
    await ask(name, 'storeToken', token('anna', card('4000009900000013')));
    expect(await takeEvents()).toEqual([]);
  });
});

test('another company gets no events, and an import enqueues none', async () => {
  await open();
  const { store: details, context: world } = gateway.parts;
  const { path, contentType, body } = protocols.json.encodeRequest(service, service.operations.get('storeToken')!, {
    merchantAccount: 'OtherMerchant',
    ...token('anna'),
  });
  const { message } = await gateway.ask({ path, headers: { 'content-type': contentType, ...callers.other }, body });
  expect(message.status).toBe(200);
  await details.write((tx) =>
    saveDetail(
      { company: 'Demo', merchantAccount: 'DemoMerchant', shopperReference: 'imported' },
      { card: card(), contracts: ['RECURRING'], firstPspReference: 'FIRST', also: {} },
      tx.repository(DetailRepository),
      world,
    ),
  );
  expect(await takeEvents()).toEqual([]);
});

describe('a check whose outcome comes later', () => {
  beforeEach(() => open({ updater: () => ({ kind: 'http', check: async () => ({ kind: 'pending' }) }) }));

  const settle = async (outcome: AccountUpdateOutcome): Promise<void> => {
    const { jobs, store: details, context: world, pass } = gateway.parts;
    await pass(60_000);
    const [job] = await jobs.take(updaterCheck, { leaseOwner: 'test', leaseMs: 60_000, max: 1 });
    await details.write((tx) => completeCheck(job!, outcome, tx, world));
  };

  test.each<readonly [string, AccountUpdateOutcome, readonly string[]]>([
    ['NoChange', { kind: 'unchanged' }, []],
    ['Error', { kind: 'failed' }, []],
    ['ContactCardAccountHolder', { kind: 'contactCardholder' }, []],
    ['CloseAccount', { kind: 'closed' }, ['disabled']],
    ['CardExpiryChanged', { kind: 'renewed', expiry: { expiryMonth: '4', expiryYear: '2033' } }, ['updated']],
    [
      'PANChanged',
      { kind: 'replaced', number: '4111111111111111', expiry: { expiryMonth: '4', expiryYear: '2033' } },
      ['updated'],
    ],
  ])('is enqueued with any outcome: %s', async (result, outcome, kinds) => {
    const stored = await ask('json', 'storeToken', token('anna'));
    await takeEvents();
    const reference = stored.value.recurringDetailReference;
    const scheduled = await ask('json', 'scheduleAccountUpdater', {
      reference: 'check-1',
      shopperReference: 'anna',
      selectedRecurringDetailReference: reference,
    });
    expect(scheduled.value.result).toBe('Success');
    expect(await takeEvents()).toEqual([]);
    await settle(outcome);
    const events = await takeEvents();
    expect(events[0]).toEqual({
      kind: 'checked',
      eventId: scheduled.value.pspReference,
      requestReference: scheduled.value.pspReference,
      at: now,
      merchantAccount: 'DemoMerchant',
      reference: 'check-1',
      result,
      shopperReference: 'anna',
      recurringDetailReference: reference,
    });
    expect(shown(events.slice(1))).toEqual(kinds.map((kind) => `${kind} ${reference}`));
    expect(JSON.stringify(events)).not.toMatch(/\d{15}|Anna van/);
  });

  test('of a card in the request: events of the stored details, and one of the outcome', async () => {
    for (const shopper of ['anna', 'ben']) await ask('json', 'storeToken', token(shopper));
    await takeEvents();
    await ask('json', 'scheduleAccountUpdater', { reference: 'check-1', card: card() });
    await settle({ kind: 'closed' });
    const events = await takeEvents();
    expect(events.map(({ kind, shopperReference }) => `${kind} ${shopperReference}`).sort()).toEqual([
      'checked undefined',
      'disabled anna',
      'disabled ben',
    ]);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(3);
  });
});
