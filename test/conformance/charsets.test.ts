/** Charsets of older clients: what is read, in which order header and declaration count, and what is refused. */
import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const service = '/pal/servlet/Recurring/v25';
const store = `${service}/storeToken`;
const adapter = '/pal/adapter/httppost';
const R = 'http://recurring.services.adyen.com';
const latin = (text: string) => Buffer.from(text, 'latin1');

const card = (holder: string) =>
  `{"number":"4111111111111111","expiryMonth":"3","expiryYear":"2030","holderName":"${holder}"}`;
const json = (holder: string, shopper: string) =>
  `{"card":${card(holder)},"merchantAccount":"DemoMerchant","recurring":{"contract":"PAYOUT"},"shopperReference":"${shopper}"}`;
const form = (holder: string, shopper: string, prefix = '') =>
  [
    'card.number=4111111111111111',
    'card.expiryMonth=3',
    'card.expiryYear=2030',
    `card.holderName=${holder}`,
    'merchantAccount=DemoMerchant',
    'recurring.contract=PAYOUT',
    `shopperReference=${shopper}`,
  ]
    .map((pair) => prefix + pair)
    .join('&');
const xml = (holder: string, shopper: string, declared = '', uri = 'http://schemas.xmlsoap.org/soap/envelope/') =>
  `${declared}<e:Envelope xmlns:e="${uri}"><e:Body><storeToken xmlns="${R}"><request><card><expiryMonth>3</expiryMonth>` +
  `<expiryYear>2030</expiryYear><holderName>${holder}</holderName><number>4111111111111111</number></card>` +
  '<merchantAccount>DemoMerchant</merchantAccount><recurring><contract>PAYOUT</contract></recurring>' +
  `<shopperReference>${shopper}</shopperReference></request></storeToken></e:Body></e:Envelope>`;
const xml12 = (holder: string, shopper: string) => xml(holder, shopper, '', 'http://www.w3.org/2003/05/soap-envelope');
const declaration = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>`;

const post = (path: string, type: string, body: Buffer | string) =>
  gateway.ask({ path, headers: { 'content-type': type, ...callers.demo }, body });

/** What the shopper's card says now, in an answer that is UTF-8. */
const holderOf = async (shopper: string): Promise<string> => {
  const body = JSON.stringify({ merchantAccount: 'DemoMerchant', shopperReference: shopper });
  const { message } = await post(`${service}/listRecurringDetails`, 'application/json', body);
  expect(message.contentType).toBe('application/json;charset=utf-8');
  return JSON.parse(message.body).details[0].RecurringDetail.card.holderName;
};

/** The path of a message and its content type. */
type Target = readonly [path: string, type: string];
type Sent = readonly [title: string, target: Target, body: (shopper: string) => Buffer, holder: string];

const urlencoded = 'application/x-www-form-urlencoded';
const targetOf =
  (path: string, type: string) =>
  (charset?: string): Target => [path, charset === undefined ? type : `${type}; charset=${charset}`];
const xmlIn = targetOf(service, 'text/xml');
const jsonIn = targetOf(store, 'application/json');
const formIn = targetOf(store, urlencoded);

const read: readonly Sent[] = [
  ['text/xml in ISO-8859-1', xmlIn('ISO-8859-1'), (s) => latin(xml('Zo\xeb', s)), 'Zoë'],
  ['text/xml in windows-1252', xmlIn('windows-1252'), (s) => latin(xml('Zo\xeb \x80', s)), 'Zoë €'],
  ['text/xml in us-ascii', xmlIn('us-ascii'), (s) => latin(xml('Zo&#xeb;', s)), 'Zoë'],
  [
    'SOAP 1.2 in ISO-8859-1',
    [service, 'application/soap+xml; charset=iso-8859-1; action="storeToken"'],
    (s) => latin(xml12('Zo\xeb', s)),
    'Zoë',
  ],
  ['a declaration alone', xmlIn(), (s) => latin(xml('Zo\xeb', s, declaration('ISO-8859-1'))), 'Zoë'],
  ['a declaration of windows-1252', xmlIn(), (s) => latin(xml('\x80', s, declaration('windows-1252'))), '€'],
  ['a declaration of us-ascii', xmlIn(), (s) => latin(xml('Zoe', s, declaration('us-ascii'))), 'Zoe'],
  [
    'a header against a declaration of UTF-8',
    xmlIn('iso-8859-1'),
    (s) => latin(xml('Zo\xeb', s, declaration('UTF-8'))),
    'Zoë',
  ],
  [
    'a header of UTF-8 against a declaration',
    xmlIn('utf-8'),
    (s) => Buffer.from(xml('Zoë', s, declaration('ISO-8859-1'))),
    'Zoë',
  ],
  [
    'a byte order mark against a declaration',
    xmlIn(),
    (s) => Buffer.from(`\ufeff${xml('Zoë', s, declaration('ISO-8859-1'))}`),
    'Zoë',
  ],
  ['JSON in ISO-8859-1', jsonIn('iso-8859-1'), (s) => latin(json('Zo\xeb', s)), 'Zoë'],
  ['JSON in windows-1252', jsonIn('cp1252'), (s) => latin(json('Zo\xeb \x80', s)), 'Zoë €'],
  ['JSON in us-ascii', jsonIn('us-ascii'), (s) => latin(json('Zo\\u00eb', s)), 'Zoë'],
  ['FORM in ISO-8859-1, percent-encoded', formIn('ISO-8859-1'), (s) => latin(form('Zo%EB+%2B', s)), 'Zoë +'],
  ['FORM in ISO-8859-1, as bytes', formIn('ISO-8859-1'), (s) => latin(form('Zo\xeb', s)), 'Zoë'],
  ['FORM in windows-1252', formIn('windows-1252'), (s) => latin(form('Zo%eb %80', s)), 'Zoë €'],
  ['FORM in us-ascii', formIn('us-ascii'), (s) => latin(form('Zoe%20B', s)), 'Zoe B'],
  [
    'the form adapter in ISO-8859-1',
    [adapter, `${urlencoded}; charset=ISO-8859-1`],
    (s) => latin(`action=Recurring.storeToken&${form('Zo%EB', s, 'storeTokenRequest.')}`),
    'Zoë',
  ],
];

describe('read', () => {
  test.each(read.map((row, at) => [...row, `charset-${at}`] as const))(
    '%s',
    async (_title, [path, type], body, holder, shopper) => {
      const { message } = await post(path, type, body(shopper));
      expect([message.status, message.contentType]).toEqual([200, expect.stringMatching(/charset=utf-8$/)]);
      expect(await holderOf(shopper)).toBe(holder);
    },
  );
});

type Refused = readonly [title: string, target: Target, body: Buffer, refusal: readonly [number, string, string]];

const rows = (
  status: number,
  problem: string,
  reason: string,
  bodies: Readonly<Record<string, readonly [Target, Buffer]>>,
): readonly Refused[] =>
  Object.entries(bodies).map(([title, [target, body]]) => [title, target, body, [status, problem, reason]]);

const refused: readonly Refused[] = [
  ...rows(500, 'unreadable', 'not windows-1252', {
    'a byte that windows-1252 leaves open': [xmlIn('windows-1252'), latin(xml('\x81', 'x'))],
    'the same by declaration': [xmlIn(), latin(xml('\x9d', 'x', declaration('windows-1252')))],
  }),
  ...rows(500, 'unreadable', 'not us-ascii', {
    'a byte over 0x7F in us-ascii': [xmlIn('us-ascii'), latin(xml('\xeb', 'x'))],
    'UTF-8 declared as us-ascii': [xmlIn(), Buffer.from(xml('ë', 'x', declaration('us-ascii')))],
  }),
  ...rows(500, 'unreadable', 'not UTF-8', {
    'ISO-8859-1 declared as UTF-8': [xmlIn('utf-8'), latin(xml('\xeb', 'x'))],
  }),
  ...rows(500, 'unreadable', 'charset and byte order mark disagree', {
    'a byte order mark of UTF-8 against the header': [xmlIn('iso-8859-1'), Buffer.from(`\ufeff${xml('e', 'x')}`)],
  }),
  ...rows(415, 'unsupportedMedia', 'encoding', {
    'an unknown encoding in the declaration': [xmlIn(), latin(xml('e', 'x', declaration('Shift_JIS')))],
    'UTF-16 in the declaration without a byte order mark': [xmlIn(), latin(xml('e', 'x', declaration('UTF-16')))],
  }),
  ...rows(400, 'unreadable', 'not us-ascii', {
    'JSON over 0x7F in us-ascii': [jsonIn('us-ascii'), latin(json('\xeb', 'x'))],
  }),
  ...rows(400, 'unreadable', 'not windows-1252', {
    'JSON with 0x8F in windows-1252': [jsonIn('windows-1252'), latin(json('\x8f', 'x'))],
  }),
  ...rows(400, 'undecodable', 'percent-encoding', {
    'FORM with %8D in windows-1252': [formIn('windows-1252'), latin(form('%8d', 'x'))],
    'FORM with %EB in us-ascii': [formIn('us-ascii'), latin(form('%eb', 'x'))],
    'FORM with a lone percent sign in ISO-8859-1': [formIn('iso-8859-1'), latin(form('%4', 'x'))],
  }),
  ...rows(400, 'structure', 'structure', {
    'FORM with a NUL in ISO-8859-1': [formIn('iso-8859-1'), latin(form('%00', 'x'))],
  }),
];

describe('refused', () => {
  test.each(refused)('%s', async (_title, [path, type], body, refusal) => {
    const { message, entry } = await post(path, type, body);
    expect([message.status, entry.outcome, entry.problem?.reason]).toEqual(refusal);
  });

  test.each(['utf-7', 'iso-8859-15', 'shift_jis', 'utf-16', '', 'utf-8; charset=iso-8859-1'])(
    'JSON in "%s": 415',
    async (charset) => {
      const { message } = await post(store, `application/json; charset=${charset}`, json('Zoe', 'x'));
      expect(message.status).toBe(415);
    },
  );
});

test('resources with an HTTP binding read the charset, too', async () => {
  const send = (type: string) =>
    gateway.ask({
      path: '/bcl/v2/accountHolders',
      headers: { 'content-type': type, ...callers.platform },
      body: latin('{"legalEntityId":"LE1","description":"Zo\xeb"}'),
    });
  const { message } = await send('application/json; charset=iso-8859-1');
  expect(JSON.parse(message.body)).toMatchObject({ description: 'Zoë' });
  expect((await send('application/json')).entry.outcome).toBe('unreadable');
});
