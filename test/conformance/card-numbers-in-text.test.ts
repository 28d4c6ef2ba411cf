/** Card numbers where none belongs, in every format: reported, refused where a setting says so, and never echoed. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { createSecretReports } from '../../src/access/secret-reports.ts';
import { cardNumberDetector } from '../../src/core/contract/card-numbers.ts';
import { createProtocols, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { createTextScan, type SecretFound } from '../../src/core/gateway/text-scan.ts';
import { balancePlatformV2 } from '../../src/payments/balance-platform/v2.ts';
import { services } from '../../src/payments/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { createMemoryAuditTrail } from '../support/memory-audit-trail.ts';

const protocols = createProtocols(services);
const storeToken = recurringV25.operations.get('storeToken')!;
const numbers = ['4111111111111111', '4111 1111 1111 1111', '4111-1111-1111-1111'];

const gateways: TestGateway[] = [];
afterAll(() => Promise.all(gateways.map((each) => each.close())));

const open = async (refuses: boolean) => {
  const found: SecretFound[] = [];
  const gateway = await openGateway({
    scanTexts: createTextScan(cardNumberDetector, refuses, (each) => found.push(each)),
  });
  gateways.push(gateway);
  return { gateway, found };
};

const card = { number: '5555444433331111', expiryMonth: '3', expiryYear: '2031', holderName: 'Anna van Dijk' };
const address = { city: 'Amsterdam', country: 'NL', houseNumberOrName: '12', street: 'Weg' };
const base = {
  merchantAccount: 'DemoMerchant',
  shopperReference: 'a-shopper',
  card,
  recurring: { contract: ['RECURRING'] },
};

/** Requests with a number in one field. */
const places: Readonly<Record<string, (number: string) => object>> = {
  shopperReference: (number) => ({ shopperReference: number }),
  'card.holderName': (number) => ({ card: { ...card, holderName: number } }),
  shopperEmail: (number) => ({ shopperEmail: number }),
  'billingAddress.street': (number) => ({ billingAddress: { ...address, street: `Weg ${number}` } }),
  additionalData: (number) => ({ additionalData: { note: number } }),
};

describe.each(namedProtocols)('in %s', (format) => {
  const protocol = protocols[format];
  const send = async (gateway: TestGateway, also: object) => {
    const { path, contentType, body } = protocol.encodeRequest(recurringV25, storeToken, { ...base, ...also });
    return await gateway.ask({ path, headers: { 'content-type': contentType, ...callers.key }, body });
  };

  test.each(Object.entries(places))(
    'a number in %s is reported, and the request is answered',
    async (field, withNumber) => {
      const { gateway, found } = await open(false);
      for (const number of numbers) expect((await send(gateway, withNumber(number))).entry.outcome).toBe('ok');
      expect(found).toEqual(
        numbers.map(() => ({ operation: 'storeToken', field, credential: expect.stringMatching(/^[\w-]+$/) })),
      );
    },
  );

  test.each(Object.entries(places))(
    'a number in %s is refused where the setting says so, unseen',
    async (_, withNumber) => {
      const { gateway } = await open(true);
      for (const number of numbers) {
        const { entry, message } = await send(gateway, withNumber(number));
        expect(entry.outcome).toBe('invalidField');
        expect(digitsOf(message.body)).not.toContain('4111111111111111');
      }
      expect((await send(gateway, { shopperReference: '4111111111111112' })).entry.outcome).toBe('ok');
    },
  );

  test('a number in its own field, and a reference that is none, are not reported', async () => {
    const { gateway, found } = await open(true);
    const also = { shopperReference: '8314442372419168', card: { ...card, number: '4111111111111111' } };
    expect((await send(gateway, also)).entry.outcome).toBe('ok');
    expect(found).toEqual([]);
  });
});

test.each([
  ['reference', { reference: '4111-1111-1111-1111' }],
  ['description', { description: 'card 4111 1111 1111 1111' }],
  ['metadata', { metadata: { card: '4111111111111111' } }],
  ['legalEntityId', { legalEntityId: '4111111111111111' }],
])('a number in %s of a resource is reported and refused', async (field, also) => {
  for (const refuses of [false, true]) {
    const { gateway, found } = await open(refuses);
    const create = balancePlatformV2.operations.get('createAccountHolder')!;
    const { path, contentType, body } = protocols.rest.encodeRequest(balancePlatformV2, create, {
      balancePlatform: 'DemoPlatform',
      legalEntityId: 'LE00000000000000000000001',
      ...also,
    });
    const { entry } = await gateway.ask({
      path,
      headers: { 'content-type': contentType, ...callers.platformKey },
      body,
    });
    expect(found).toMatchObject([{ operation: 'createAccountHolder', field }]);
    expect(entry.outcome === 'invalidField').toBe(refuses);
  }
});

/** As JSON and FORM send it. */
const sent = { ...base, recurring: { contract: 'RECURRING' } };

describe('a number as the name of a field is never echoed', () => {
  const names = [
    '4111111111111111',
    '4111-1111-1111-1111',
    '4111.1111.1111.1111',
    '4111_1111_1111_1111',
    '4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1',
  ];
  const json = '/pal/servlet/Recurring/v25/storeToken';
  const soap = '/pal/servlet/Recurring/v25';
  const bodiesWith = (name: string) => [
    ['json', json, 'application/json', JSON.stringify({ ...sent, [name]: 'x' })],
    ['json, in a part', json, 'application/json', JSON.stringify({ ...sent, card: { ...card, [name]: 'x' } })],
    ['json, twice', json, 'application/json', `{"${name}":1,"${name}":2}`],
    ['form', json, 'application/x-www-form-urlencoded', `merchantAccount=DemoMerchant&${name}=x`],
    ['form, in a part', json, 'application/x-www-form-urlencoded', `card.${name}=x&card[${name}]=y`],
    ['form, twice', json, 'application/x-www-form-urlencoded', `${name}=x&${name}=y`],
    ['soap11', soap, 'text/xml', envelope(`<n${name}>x</n${name}>`)],
    ['soap11, an attribute', soap, 'text/xml', envelope(`<card n${name}="x"/>`)],
    ['soap11, no operation', soap, 'text/xml', envelope('', `n${name}`)],
    [
      'adapter',
      '/pal/adapter/httppost',
      'application/x-www-form-urlencoded',
      `action=Recurring.storeToken&storeTokenRequest.${name}=x`,
    ],
    ['adapter, no operation', '/pal/adapter/httppost', 'application/x-www-form-urlencoded', `action=Recurring.${name}`],
    ['rest', '/bcl/v2/accountHolders', 'application/json', JSON.stringify({ [name]: 'x' })],
  ];

  const answerTo = async (request: readonly string[]) => {
    const { gateway } = await open(false);
    const [format, path = '', contentType = '', body = ''] = request;
    const as = format === 'rest' ? callers.platformKey : callers.key;
    const { entry, message } = await gateway.ask({ path, headers: { 'content-type': contentType, ...as }, body });
    expect(entry.outcome).not.toBe('ok');
    return message.body + JSON.stringify(message.headers);
  };

  test.each(names.flatMap(bodiesWith))('%s: %s', async (...request) => {
    expect(digitsOf(await answerTo(request))).not.toContain('4111111111111111');
  });

  test('other names are echoed where a message has them', async () => {
    const echoing: string[] = [];
    for (const request of bodiesWith('4111')) if ((await answerTo(request)).includes('4111')) echoing.push(request[0]!);
    expect(echoing).toEqual(['json', 'json, in a part', 'form', 'form, in a part', 'soap11', 'adapter', 'rest']);
  });
});

test('the audit log has one entry for each field in a minute, without the number', async () => {
  const audit = createMemoryAuditTrail();
  const counted: string[] = [];
  const reports = createSecretReports(audit, (kind) => counted.push(kind));
  const gateway = await openGateway({ scanTexts: createTextScan(cardNumberDetector, false, reports.report) });
  gateways.push(gateway);
  const body = JSON.stringify({
    ...sent,
    shopperReference: '4111111111111111',
    additionalData: { a: '4111111111111111' },
  });
  for (let time = 0; time < 5; time++)
    await gateway.ask({
      path: '/pal/servlet/Recurring/v25/storeToken',
      headers: { 'content-type': 'application/json', ...callers.key },
      body,
    });
  expect(audit.events).toEqual([]);
  reports.flush();
  expect(audit.events).toMatchObject([
    { kind: 'secretFound', subject: 'storeToken additionalData', detail: { times: 5 } },
    { kind: 'secretFound', subject: 'storeToken shopperReference', detail: { times: 5 } },
  ]);
  expect(counted).toHaveLength(10);
  expect(JSON.stringify(audit.events)).not.toContain('4111');
});

function envelope(content: string, operation = 'storeToken'): string {
  return (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
    `<${operation} xmlns="http://recurring.services.adyen.com"><request>${content}</request></${operation}></s:Body></s:Envelope>`
  );
}

function digitsOf(text: string): string {
  return text.replaceAll(/[^0-9]/g, '');
}
