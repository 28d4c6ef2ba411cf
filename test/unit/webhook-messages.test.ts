/** Tests the bytes and the signature of webhooks with fixed vectors, an independent HMAC and the merchants' library. */
import { createHash } from 'node:crypto';
import { ConfigurationWebhooksHandler, hmacValidator, TokenizationWebhooksHandler } from '@adyen/api-library';
import { expect, test } from '@jest/globals';
import { summarizeEvent } from '../../src/backend/compose-services.ts';
import type { AccountHolder } from '../../src/payments/balance-platform/account-holders/contract.ts';
import { configurationFormat, type ResourceEventData } from '../../src/payments/balance-platform/events.ts';
import { builtInServices } from '../../src/payments/index.ts';
import {
  type CheckEventData,
  type DetailEventData,
  type RecurringEventData,
  recurringEventType,
} from '../../src/payments/recurring/events.ts';
import { classicFormat } from '../../src/payments/recurring/webhooks/classic.ts';
import { tokenizationFormat } from '../../src/payments/recurring/webhooks/tokenization.ts';
import { parseQueuedEvent, printQueuedEvent, type QueuedEvent } from '../../src/stores/jobs/webhooks/event.ts';
import { signatureOf } from '../../src/stores/jobs/webhooks/signature.ts';
import { webhookFormats } from '../support/services.ts';

const key = '0123456789abcdef'.repeat(4);
const origin = { environment: 'test', key } as const;

const queued = <Data extends object>(data: Data): QueuedEvent<Data> => ({
  eventId: 'PSP0000000000001',
  requestReference: 'PSP0000000000001',
  at: Date.UTC(2026, 0, 15, 12, 30, 45, 678),
  data,
});
const about = {
  merchantAccount: 'DemoMerchant',
  shopperReference: 'shopper-1',
  recurringDetailReference: '8313147988756818',
};
const detail = { ...about, variant: 'visa', firstPspReference: '8815252013129012' };
const detailEvent = (kind: DetailEventData['kind']): QueuedEvent<DetailEventData> => queued({ kind, ...detail });
const checked = queued<CheckEventData>({ kind: 'checked', ...about, reference: 'check-1', result: 'Error' });

/** RFC 2104 over a plain hash. */
const hmacByHand = (hexKey: string, text: string): string => {
  const block = Buffer.alloc(64);
  Buffer.from(hexKey, 'hex').copy(block);
  const sha = (...parts: readonly (Uint8Array | string)[]) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest();
  };
  const inner = sha(
    block.map((byte) => byte ^ 0x36),
    text,
  );
  return sha(
    block.map((byte) => byte ^ 0x5c),
    inner,
  ).toString('base64');
};

test('a signature is HMAC-SHA256 under the bytes of the key, in base64', () => {
  // RFC 4231, test case 2.
  const jefe = Buffer.from('Jefe').toString('hex');
  expect(signatureOf(jefe, 'what do ya want for nothing?')).toBe(
    Buffer.from('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', 'hex').toString('base64'),
  );
  for (const text of ['', 'a', 'é€ "\n', 'x'.repeat(1_000)]) expect(signatureOf(key, text)).toBe(hmacByHand(key, text));
  expect(signatureOf(key.replace('0', '1'), 'a')).not.toBe(signatureOf(key, 'a'));
});

test('a detail was created, in the format tokenization', () => {
  const { body, headers } = tokenizationFormat.encode(detailEvent('created'), origin);
  expect(body).toBe(
    '{"createdAt":"2026-01-15T12:30:45+00:00","data":{"merchantAccount":"DemoMerchant","operation":"created","shopperReference":"shopper-1","storedPaymentMethodId":"8313147988756818","type":"visa"},"environment":"test","eventId":"PSP0000000000001","type":"recurring.token.created","version":"1"}',
  );
  expect(headers).toEqual({
    HmacSignature: 'UV8b51RJG6tkKu4woNWj+PisKBzz+qDtyMRKjWllENk=',
    Protocol: 'HmacSHA256',
  });
  expect(hmacByHand(key, body)).toBe(headers.HmacSignature);
});

test.each(['created', 'alreadyExisting', 'updated', 'disabled'] as const)(
  'the library of merchants takes "%s" for what it is, and its signature for good',
  (kind) => {
    const { body, headers } = tokenizationFormat.encode(detailEvent(kind), origin);
    expect(new hmacValidator().validateHMACSignature(key, headers.HmacSignature!, body)).toBe(true);
    expect(new hmacValidator().validateHMACSignature(key, headers.HmacSignature!, `${body} `)).toBe(false);
    const handler = new TokenizationWebhooksHandler(body);
    const received = handler.getGenericWebhook();
    expect(received).toMatchObject({
      eventId: 'PSP0000000000001',
      environment: 'test',
      type: `recurring.token.${kind}`,
      data: {
        merchantAccount: 'DemoMerchant',
        shopperReference: 'shopper-1',
        storedPaymentMethodId: '8313147988756818',
        type: 'visa',
      },
    });
    expect(new Date(received.createdAt).getTime()).toBe(Date.UTC(2026, 0, 15, 12, 30, 45));
    expect('operation' in JSON.parse(body).data).toBe(kind !== 'disabled');
  },
);

test('the library of merchants knows each type that an endpoint gets by default, and throws for each other', () => {
  const permit = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1', token: 'PT0000000000001' };
  const events: readonly RecurringEventData[] = [
    ...(['created', 'alreadyExisting', 'updated', 'disabled'] as const).map((kind) => ({ kind, ...detail })),
    checked.data,
    ...(['permitCreated', 'permitDisabled'] as const).map((kind) => ({
      kind,
      ...permit,
      recurringDetailReference: about.recurringDetailReference,
    })),
  ];
  const extras = events.map((data) => {
    const { body, headers } = tokenizationFormat.encode(queued(data), origin);
    expect(new hmacValidator().validateHMACSignature(key, headers.HmacSignature!, body)).toBe(true);
    const type = recurringEventType(data.kind);
    const isExtra = tokenizationFormat.isExtra?.(type) ?? false;
    const receive = () => new TokenizationWebhooksHandler(body).getGenericWebhook();
    if (isExtra) expect(receive).toThrow('Could not parse');
    else expect(receive()).toMatchObject({ type });
    return [type, isExtra];
  });
  expect(extras.filter(([, isExtra]) => isExtra).map(([type]) => type)).toEqual([
    'recurring.token.checked',
    'recurring.permit.created',
    'recurring.permit.disabled',
  ]);
  // No other format has events that no receiver knows.
  expect(webhookFormats.all.filter(({ isExtra }) => isExtra !== undefined).map(({ name }) => name)).toEqual([
    'tokenization',
  ]);
});

test('the outcome of a check, which is an event of our own', () => {
  const { body } = tokenizationFormat.encode(checked, { environment: 'live', key });
  expect(JSON.parse(body)).toEqual({
    createdAt: '2026-01-15T12:30:45+00:00',
    data: {
      merchantAccount: 'DemoMerchant',
      pspReference: 'PSP0000000000001',
      reference: 'check-1',
      result: 'Error',
      shopperReference: 'shopper-1',
      storedPaymentMethodId: '8313147988756818',
    },
    environment: 'live',
    eventId: 'PSP0000000000001',
    type: 'recurring.token.checked',
    version: '1',
  });
});

test('a contract was created, in the classic format: exact bytes, and validated by the merchants’ library', () => {
  const message = classicFormat.encode(detailEvent('created'), origin);
  expect(message.headers).toEqual({});
  expect(message.body).toBe(
    '{"live":"false","notificationItems":[{"NotificationRequestItem":{"additionalData":{"hmacSignature":"NQHPwyQwnbUcu2RKJHNQNt6ldASM8c0Tc6C5PbXXaJ4=","recurring.recurringDetailReference":"8313147988756818","recurring.shopperReference":"shopper-1","shopperReference":"shopper-1"},"amount":{"currency":"EUR","value":0},"eventCode":"RECURRING_CONTRACT","eventDate":"2026-01-15T12:30:45+00:00","merchantAccountCode":"DemoMerchant","merchantReference":"","originalPsp":"8815252013129012","originalReference":"8815252013129012","paymentMethod":"visa","pspReference":"8313147988756818","reason":"","success":"true"}}]}',
  );
  const signed = '8313147988756818:8815252013129012:DemoMerchant::0:EUR:RECURRING_CONTRACT:true';
  expect(hmacByHand(key, signed)).toBe('NQHPwyQwnbUcu2RKJHNQNt6ldASM8c0Tc6C5PbXXaJ4=');
  const item = JSON.parse(message.body).notificationItems[0].NotificationRequestItem;
  const validator = new hmacValidator();
  expect(validator.validateHMAC(item, key)).toBe(true);
  expect(validator.validateHMAC({ ...item, merchantAccountCode: 'Another' }, key)).toBe(false);
  // What the public description of the item requires.
  for (const name of 'merchantReference merchantAccountCode eventDate amount success eventCode originalPsp pspReference'.split(
    ' ',
  ))
    expect(item).toHaveProperty(name);
});

test('the classic format marks live events', () => {
  expect(classicFormat.encode(detailEvent('created'), { environment: 'live', key }).body).toContain('"live":"true"');
});

const holderData: ResourceEventData<AccountHolder> = {
  kind: 'accountHolder',
  operation: 'updated',
  platform: 'DemoPlatform',
  record: {
    balancePlatform: 'DemoPlatform',
    id: 'AH00000000000000000000001',
    legalEntityId: 'LE1',
    metadata: { note: 'Ä "1"' },
    primaryBalanceAccount: 'BA00000000000000000000002',
    status: 'active',
    timeZone: 'Europe/Amsterdam',
  },
};
const holderUpdated: QueuedEvent<ResourceEventData> = { ...queued(holderData), eventId: 'PSP0000000000001.2' };

test('a resource was changed, in the format configuration', () => {
  const { body, headers } = configurationFormat.encode(holderUpdated, origin);
  expect(body).toBe(
    '{"data":{"balancePlatform":"DemoPlatform","accountHolder":{"balancePlatform":"DemoPlatform","id":"AH00000000000000000000001","legalEntityId":"LE1","metadata":{"note":"Ä \\"1\\""},"primaryBalanceAccount":"BA00000000000000000000002","status":"active","timeZone":"Europe/Amsterdam"}},"environment":"test","timestamp":"2026-01-15T12:30:45+00:00","type":"balancePlatform.accountHolder.updated"}',
  );
  expect(headers).toEqual({
    EventId: 'PSP0000000000001.2',
    HmacSignature: '8rkv9H/XTq5qg4synjSDCIWzCovVmxyJklaKazmtyfs=',
    Protocol: 'HmacSHA256',
  });
  expect(hmacByHand(key, body)).toBe(headers.HmacSignature);
  expect(configurationFormat.encode(holderUpdated, { environment: 'live', key }).body).toContain(
    '"environment":"live"',
  );
});

test.each([
  ['accountHolder', 'created'],
  ['accountHolder', 'updated'],
  ['balanceAccount', 'created'],
  ['balanceAccount', 'updated'],
  ['paymentInstrument', 'created'],
  ['paymentInstrument', 'updated'],
] as const)('the library of merchants takes "%s %s" for what it is, and its signature for good', (kind, operation) => {
  const { body, headers } = configurationFormat.encode(queued({ ...holderData, kind, operation }), origin);
  expect(new hmacValidator().validateHMACSignature(key, headers.HmacSignature!, body)).toBe(true);
  expect(new hmacValidator().validateHMACSignature(key, headers.HmacSignature!, `${body} `)).toBe(false);
  expect(new ConfigurationWebhooksHandler(body).getGenericWebhook()).toMatchObject({
    data: { balancePlatform: 'DemoPlatform', [kind]: { id: 'AH00000000000000000000001', status: 'active' } },
    environment: 'test',
    timestamp: new Date(Date.UTC(2026, 0, 15, 12, 30, 45)),
    type: `balancePlatform.${kind}.${operation}`,
  });
});

test('each format accepts its own events only', () => {
  const kinds = ['created', 'alreadyExisting', 'updated', 'disabled', 'checked'];
  const permits = ['recurring.permit.created', 'recurring.permit.disabled'];
  const resources = ['accountHolder', 'balanceAccount', 'paymentInstrument'];
  const types = [
    ...kinds.map((kind) => `recurring.token.${kind}`),
    ...resources.flatMap((kind) => [`balancePlatform.${kind}.created`, `balancePlatform.${kind}.updated`]),
    ...permits,
    'another.service.created',
    'recurring.token.creatd',
  ];
  const accepted = Object.fromEntries(
    webhookFormats.all.map((format) => [format.name, types.filter((type) => format.accepts(type))]),
  );
  expect(accepted).toEqual({
    tokenization: [...types.slice(0, 5), ...permits],
    classic: ['recurring.token.created'],
    configuration: types.slice(5, 11),
  });
});

test('a format that no service declares is an error', () => {
  expect(() => webhookFormats.get('another')).toThrow('another');
  expect(webhookFormats.get('classic').name).toBe('classic');
});

test('an event survives a round trip through storage and encodes to the same bytes, whatever the order of its members', () => {
  const event = detailEvent('updated');
  const text = printQueuedEvent(event);
  expect(parseQueuedEvent(text)).toEqual(event);
  const reversed = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse()));
  expect(tokenizationFormat.encode(parseQueuedEvent(reversed), origin)).toEqual(
    tokenizationFormat.encode(event, origin),
  );
});

/** The queue may hold events of the previous release. */
test('the stored form does not change', () => {
  const stored =
    '{"eventId":"P1.2","requestReference":"P1","at":1583059991000,"kind":"created","merchantAccount":"DemoMerchant","shopperReference":"anna","recurringDetailReference":"D1","variant":"visa","firstPspReference":"F1"}';
  const event = parseQueuedEvent<DetailEventData>(stored);
  expect(event).toEqual({
    eventId: 'P1.2',
    requestReference: 'P1',
    at: 1_583_059_991_000,
    data: {
      kind: 'created',
      merchantAccount: 'DemoMerchant',
      shopperReference: 'anna',
      recurringDetailReference: 'D1',
      variant: 'visa',
      firstPspReference: 'F1',
    },
  });
  expect(printQueuedEvent(event)).toBe(stored);
  expect(summarizeEvent(builtInServices, stored)).toEqual({
    type: 'recurring.token.created',
    at: 1_583_059_991_000,
    owner: { merchantAccount: 'DemoMerchant' },
  });
  expect(summarizeEvent(builtInServices, printQueuedEvent(holderUpdated))).toEqual({
    type: 'balancePlatform.accountHolder.updated',
    at: holderUpdated.at,
    owner: { balancePlatform: 'DemoPlatform' },
  });
});

test('during a rotation receivers with either key verify a message, with the library of merchants too', () => {
  const nextKey = 'fedcba9876543210'.repeat(4);
  const both = { ...origin, nextKey };
  const library = new hmacValidator();
  for (const [format, event] of [
    [tokenizationFormat, detailEvent('created')],
    [configurationFormat, holderUpdated],
  ] as const) {
    const alone = format.encode(event as never, origin);
    const { body, headers } = format.encode(event as never, both);
    expect(body).toBe(alone.body);
    expect(headers).toEqual({ ...alone.headers, HmacSignatureNext: hmacByHand(nextKey, body) });
    // A receiver that knows nothing of the rotation, one that tries both keys, and one that reads the new header.
    expect(library.validateHMACSignature(key, headers.HmacSignature!, body)).toBe(true);
    expect(library.validateHMACSignature(nextKey, headers.HmacSignature!, body)).toBe(false);
    expect(library.validateHMACSignature(nextKey, headers.HmacSignatureNext!, body)).toBe(true);
  }
  const { body } = classicFormat.encode(detailEvent('created'), both);
  const [{ NotificationRequestItem: item }] = JSON.parse(body).notificationItems;
  expect(library.validateHMAC(item, key)).toBe(true);
  const { hmacSignatureNext } = item.additionalData;
  const moved = { ...item, additionalData: { ...item.additionalData, hmacSignature: hmacSignatureNext } };
  expect(library.validateHMAC(moved, nextKey)).toBe(true);
});
