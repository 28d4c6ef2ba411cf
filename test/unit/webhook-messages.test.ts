/** What is sent of an event, word by word, and its signature: by fixed vectors, by hand, and as the library of merchants checks it. */
import { createHash } from 'node:crypto';
import { ConfigurationWebhooksHandler, hmacValidator, TokenizationWebhooksHandler } from '@adyen/api-library';
import { expect, test } from '@jest/globals';
import { configurationMessage } from '../../src/services/balance-platform/webhook.ts';
import { classicMessage } from '../../src/services/recurring/webhooks/classic.ts';
import { tokenizationMessage } from '../../src/services/recurring/webhooks/tokenization.ts';
import type { Event } from '../../src/webhooks/ports.ts';
import { signatureOf } from '../../src/webhooks/signature.ts';

const key = '0123456789abcdef'.repeat(4);
const origin = { environment: 'test', key } as const;

const about = {
  eventId: 'PSP0000000000001',
  pspReference: 'PSP0000000000001',
  at: Date.UTC(2026, 0, 15, 12, 30, 45, 678),
  merchantAccount: 'DemoMerchant',
  shopperReference: 'shopper-1',
  recurringDetailReference: '8313147988756818',
};
const detail = { ...about, variant: 'visa', firstPspReference: '8815252013129012' };
const detailEvent = (kind: 'created' | 'alreadyExisting' | 'updated' | 'disabled'): Event => ({ ...detail, kind });
const checked: Event = { ...about, kind: 'checked', reference: 'check-1', result: 'Error' };

/** RFC 2104 as it is written, over a plain hash. */
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
  const { body, headers } = tokenizationMessage(detailEvent('created'), origin)!;
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
    const { body, headers } = tokenizationMessage(detailEvent(kind), origin)!;
    expect(new hmacValidator().validateHMACSignature(key, headers.HmacSignature!, body)).toBe(true);
    expect(new hmacValidator().validateHMACSignature(key, headers.HmacSignature!, `${body} `)).toBe(false);
    const handler = new TokenizationWebhooksHandler(body);
    const heard = handler.getGenericWebhook();
    expect(heard).toMatchObject({
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
    expect(new Date(heard.createdAt).getTime()).toBe(Date.UTC(2026, 0, 15, 12, 30, 45));
    expect('operation' in JSON.parse(body).data).toBe(kind !== 'disabled');
  },
);

test('the outcome of a check, which is an event of our own', () => {
  const { body } = tokenizationMessage(checked, { environment: 'live', key })!;
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

test('a contract was made, in the classic format: word by word, and as the library of merchants checks it', () => {
  const message = classicMessage(detailEvent('created'), origin);
  expect(message?.headers).toEqual({});
  expect(message?.body).toBe(
    '{"live":"false","notificationItems":[{"NotificationRequestItem":{"additionalData":{"hmacSignature":"NQHPwyQwnbUcu2RKJHNQNt6ldASM8c0Tc6C5PbXXaJ4=","recurring.recurringDetailReference":"8313147988756818","recurring.shopperReference":"shopper-1","shopperReference":"shopper-1"},"amount":{"currency":"EUR","value":0},"eventCode":"RECURRING_CONTRACT","eventDate":"2026-01-15T12:30:45+00:00","merchantAccountCode":"DemoMerchant","merchantReference":"","originalReference":"8815252013129012","paymentMethod":"visa","pspReference":"8313147988756818","reason":"","success":"true"}}]}',
  );
  const signed = '8313147988756818:8815252013129012:DemoMerchant::0:EUR:RECURRING_CONTRACT:true';
  expect(hmacByHand(key, signed)).toBe('NQHPwyQwnbUcu2RKJHNQNt6ldASM8c0Tc6C5PbXXaJ4=');
  const item = JSON.parse(message!.body).notificationItems[0].NotificationRequestItem;
  const validator = new hmacValidator();
  expect(validator.validateHMAC(item, key)).toBe(true);
  expect(validator.validateHMAC({ ...item, merchantAccountCode: 'Another' }, key)).toBe(false);
});

test('the classic format says live, and knows of nothing but new contracts', () => {
  expect(classicMessage(detailEvent('created'), { environment: 'live', key })?.body).toContain('"live":"true"');
  for (const kind of ['alreadyExisting', 'updated', 'disabled'] as const)
    expect(classicMessage(detailEvent(kind), origin)).toBeUndefined();
  expect(classicMessage(checked, origin)).toBeUndefined();
});

const holderUpdated: Event = {
  eventId: 'PSP0000000000001.2',
  pspReference: 'PSP0000000000001',
  at: about.at,
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

test('a resource was changed, in the format configuration', () => {
  const { body, headers } = configurationMessage(holderUpdated, origin)!;
  expect(body).toBe(
    '{"data":{"balancePlatform":"DemoPlatform","accountHolder":{"balancePlatform":"DemoPlatform","id":"AH00000000000000000000001","legalEntityId":"LE1","metadata":{"note":"Ä \\"1\\""},"primaryBalanceAccount":"BA00000000000000000000002","status":"active","timeZone":"Europe/Amsterdam"}},"environment":"test","timestamp":"2026-01-15T12:30:45+00:00","type":"balancePlatform.accountHolder.updated"}',
  );
  expect(headers).toEqual({
    EventId: 'PSP0000000000001.2',
    HmacSignature: '8rkv9H/XTq5qg4synjSDCIWzCovVmxyJklaKazmtyfs=',
    Protocol: 'HmacSHA256',
  });
  expect(hmacByHand(key, body)).toBe(headers.HmacSignature);
  expect(configurationMessage(holderUpdated, { environment: 'live', key })?.body).toContain('"environment":"live"');
});

test.each([
  ['accountHolder', 'created'],
  ['accountHolder', 'updated'],
  ['balanceAccount', 'created'],
  ['balanceAccount', 'updated'],
  ['paymentInstrument', 'created'],
  ['paymentInstrument', 'updated'],
] as const)('the library of merchants takes "%s %s" for what it is, and its signature for good', (kind, operation) => {
  const { body, headers } = configurationMessage({ ...holderUpdated, kind, operation } as Event, origin)!;
  expect(new hmacValidator().validateHMACSignature(key, headers.HmacSignature!, body)).toBe(true);
  expect(new hmacValidator().validateHMACSignature(key, headers.HmacSignature!, `${body} `)).toBe(false);
  expect(new ConfigurationWebhooksHandler(body).getGenericWebhook()).toMatchObject({
    data: { balancePlatform: 'DemoPlatform', [kind]: { id: 'AH00000000000000000000001', status: 'active' } },
    environment: 'test',
    timestamp: new Date(Date.UTC(2026, 0, 15, 12, 30, 45)),
    type: `balancePlatform.${kind}.${operation}`,
  });
});

test('each format knows of its own events only', () => {
  expect(tokenizationMessage(holderUpdated, origin)).toBeUndefined();
  expect(classicMessage(holderUpdated, origin)).toBeUndefined();
  for (const event of [detailEvent('created'), checked]) expect(configurationMessage(event, origin)).toBeUndefined();
});

test('an event is the same bytes each time, whatever order its parts come in', () => {
  const again = Object.fromEntries(Object.entries(detailEvent('updated')).reverse()) as unknown as Event;
  expect(tokenizationMessage(again, origin)).toEqual(tokenizationMessage(detailEvent('updated'), origin));
});
