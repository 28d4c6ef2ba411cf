/** The leniencies: what each reads, what it refuses so that a request has one meaning, and what happens when it is turned off. */
import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { allExcept, type Leniency, leniencyNames } from '../../src/core/formats/leniencies.ts';
import { createRequestCounter } from '../../src/http/metrics/requests.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { R } from './case.ts';

let gateway: TestGateway;
let strict: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
  strict = await openGateway({ leniencies: allExcept(leniencyNames) });
});
afterAll(async () => {
  await gateway.close();
  await strict.close();
});

const service = '/pal/servlet/Recurring/v25';
const list = `${service}/listRecurringDetails`;
const adapter = '/pal/adapter/httppost';
const form = 'application/x-www-form-urlencoded';
const json = '{"merchantAccount":"DemoMerchant","shopperReference":"nobody"}';
const platform = '/bcl/v2/accountHolders';
const holder = '{"legalEntityId":"LE00000000000000000000001"}';
const soap =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>' +
  `<listRecurringDetails${R}><request><merchantAccount>DemoMerchant</merchantAccount>` +
  '<shopperReference>nobody</shopperReference></request></listRecurringDetails></e:Body></e:Envelope>';
const action = 'action=Recurring.listRecurringDetails';
const account = 'recurringDetailsRequest.merchantAccount=DemoMerchant';
const shopper = 'recurringDetailsRequest.shopperReference=nobody';
const adapted = [action, account, shopper].join('&');

const boundary = '------------------------d74496d66958873e';
const parts = `multipart/form-data; boundary=${boundary}`;
const part = (name: string, value: string, more = '') =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const inParts = (fields: string) =>
  `${fields
    .split('&')
    .map((pair) => part(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)))
    .join('')}--${boundary}--\r\n`;

interface Sent {
  readonly path: string;
  readonly type?: string | undefined;
  readonly body: string | Buffer;
}

const ask = (to: TestGateway, { path, type, body }: Sent) =>
  to.ask({
    path,
    headers: { 'content-type': type, ...(path === platform ? callers.platform : callers.demo) },
    body,
  });

const outcomeOf = async (to: TestGateway, sent: Sent) => {
  const { message, entry } = await ask(to, sent);
  return [entry.outcome, message.status, entry.leniencies];
};

/** Each is read, and refused with the outcome where the leniency is off. */
const served: readonly (readonly [Leniency, string, Sent, string])[] = [
  ['double-slashes', 'in front', { path: `/${list}`, type: 'application/json', body: json }, 'notFound'],
  ['double-slashes', 'before the operation', { path: `${service}//listRecurringDetails/`, body: json }, 'notFound'],
  [
    'double-slashes',
    'many',
    { path: list.replaceAll('/', '////'), type: form, body: 'merchantAccount=DemoMerchant&shopperReference=a' },
    'notFound',
  ],
  [
    'double-slashes',
    'at the address of SOAP',
    { path: '/pal//servlet/soap/Recurring', type: 'text/xml', body: soap },
    'notFound',
  ],
  ['double-slashes', 'at the adapter', { path: `/${adapter}`, type: form, body: adapted }, 'notFound'],
  ['text-json', 'with a charset', { path: list, type: 'text/json; charset=utf-8', body: json }, 'unsupportedMedia'],
  ['json-as-form', 'as curl declares it', { path: list, type: form, body: json }, 'unknownField'],
  [
    'json-as-form',
    'with a charset and blanks',
    { path: list, type: `${form}; charset=utf-8`, body: ` ${json}\n` },
    'structure',
  ],
  [
    'json-as-form',
    'with characters of forms',
    { path: list, type: form, body: json.replace('nobody', 'a=b&c%41+{') },
    'structure',
  ],
  ['json-as-form', 'where no form is read', { path: platform, type: form, body: holder }, 'unsupportedMedia'],
  [
    'blanks-before-xml',
    'a line break',
    { path: service, type: 'text/xml', body: `\r\n<?xml version="1.0" encoding="UTF-8"?>${soap}` },
    'undecodable',
  ],
  [
    'blanks-before-xml',
    'several, and no media type',
    { path: service, body: `\n \t<?xml version='1.0'?>\n${soap}` },
    'undecodable',
  ],
  ['multipart-forms', 'as curl writes it', { path: adapter, type: parts, body: inParts(adapted) }, 'unsupportedMedia'],
  ['query-fields', 'all of them', { path: `${adapter}?${adapted}`, body: '' }, 'undecodable'],
  [
    'query-fields',
    'all of them, with a media type',
    { path: `${adapter}?${adapted}`, type: form, body: '' },
    'undecodable',
  ],
  [
    'query-fields',
    'the action',
    { path: `${adapter}?${action}`, type: form, body: `${account}&${shopper}` },
    'undecodable',
  ],
  [
    'query-fields',
    'some of them',
    { path: `${adapter}?${shopper}&nocache=1`, type: form, body: `${action}&${account}` },
    'undecodable',
  ],
  ['adapter-names', 'without an action', { path: list, type: form, body: `${account}&${shopper}` }, 'unknownField'],
  ['adapter-names', 'with the action', { path: list, type: form, body: adapted }, 'unknownField'],
];

test('each leniency has a request', () => {
  // Contracts ask for the last one: test/system/unknown-request-members.test.ts.
  expect([...new Set(served.map(([name]) => name)), 'unknown-members']).toEqual(leniencyNames);
});

test.each(served)('%s: %s', async (name, _, sent, refused) => {
  expect(await outcomeOf(gateway, sent)).toEqual(['ok', 200, [name]]);
  const [outcome, , used] = await outcomeOf(strict, sent);
  expect([outcome, used]).toEqual([refused, undefined]);
});

/** None of them is an object of JSON from its first character to its last. */
test.each([
  ['merchantAccount=DemoMerchant&shopperReference={"a":1}', 'ok'],
  ['merchantAccount=DemoMerchant&shopperReference=%7B%22a%22%3A1%7D', 'ok'],
  ['["merchantAccount"]', 'unknownField'],
  [`${json}&shopperReference=nobody`, 'unknownField'],
  [json.slice(0, -1), 'unknownField'],
] as const)('the form %s stays one', async (body, outcome) => {
  for (const to of [gateway, strict]) {
    const { entry } = await ask(to, { path: list, type: form, body });
    expect([entry.protocol, entry.outcome, entry.leniencies]).toEqual(['form', outcome, undefined]);
  }
});

test('a form is refused where none is read', async () => {
  for (const body of ['legalEntityId=LE00000000000000000000001', ''])
    for (const to of [gateway, strict])
      expect(await outcomeOf(to, { path: platform, type: form, body })).toEqual(['unsupportedMedia', 415, undefined]);
});

test('several at once are named each', async () => {
  const [, , used] = await outcomeOf(gateway, {
    path: `/${adapter}?${action}`,
    type: parts,
    body: inParts(`${account}&${shopper}`),
  });
  expect(used).toEqual(['double-slashes', 'multipart-forms', 'query-fields']);
});

test('no request of a document needs one', async () => {
  for (const sent of [
    { path: list, type: 'application/json', body: json },
    { path: service, type: 'text/xml', body: `<?xml version="1.0"?>${soap}` },
    { path: service, type: 'text/xml', body: `\n${soap}` },
    { path: adapter, type: form, body: adapted },
    { path: `${adapter}?nocache=1`, type: form, body: adapted },
  ])
    for (const to of [gateway, strict]) expect(await outcomeOf(to, sent)).toEqual(['ok', 200, undefined]);
});

test('the metric counts each by its name and the format', async () => {
  const registry = new Registry();
  const names = { protocols: ['json', 'adapter'], operations: [], versions: [], problems: [] };
  const count = createRequestCounter([registry], names);
  for (const sent of [
    { path: `/${list}`, type: 'text/json', body: json },
    { path: `${adapter}?${adapted}`, body: '' },
    { path: list, type: 'application/json', body: json },
  ])
    count((await ask(gateway, sent)).entry, 0);
  const lines = (await registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith('triglyph_lenient_requests_total{'));
  expect(lines.sort()).toEqual([
    'triglyph_lenient_requests_total{protocol="adapter",leniency="query-fields"} 1',
    'triglyph_lenient_requests_total{protocol="json",leniency="double-slashes"} 1',
    'triglyph_lenient_requests_total{protocol="json",leniency="text-json"} 1',
  ]);
});

describe('no request has two meanings', () => {
  const refused: readonly (readonly [string, Sent, string])[] = [
    [
      'a field in the query and the body',
      { path: `${adapter}?${shopper}`, type: form, body: `${adapted}x` },
      'undecodable',
    ],
    ['an action in both', { path: `${adapter}?action=Recurring.disable`, type: form, body: adapted }, 'undecodable'],
    [
      'a field twice in the query',
      { path: `${adapter}?${shopper}&${shopper}`, type: form, body: `${action}&${account}` },
      'undecodable',
    ],
    ['a field twice in parts', { path: adapter, type: parts, body: inParts(`${adapted}&${shopper}`) }, 'undecodable'],
    [
      'parts behind the end',
      {
        path: adapter,
        type: parts,
        body: inParts(adapted) + inParts('recurringDetailsRequest.recurring.contract=ONECLICK'),
      },
      'undecodable',
    ],
    [
      'parts without an end',
      { path: adapter, type: parts, body: inParts(adapted).replace(/--\r\n$/, '') },
      'undecodable',
    ],
    [
      'a file',
      {
        path: adapter,
        type: parts,
        body: inParts(adapted).replace('nobody', 'x').replace('; name="action"', '; name="action"; filename="a.txt"'),
      },
      'unsupportedMedia',
    ],
    [
      'an encoded part',
      {
        path: adapter,
        type: parts,
        body: inParts(adapted).replace('\r\n\r\n', '\r\nContent-Transfer-Encoding: base64\r\n\r\n'),
      },
      'unsupportedMedia',
    ],
    [
      'parts at the address of an operation',
      { path: list, type: parts, body: inParts('merchantAccount=DemoMerchant') },
      'unsupportedMedia',
    ],
    ['names of both addresses', { path: list, type: form, body: `${adapted}&shopperReference=a` }, 'unknownField'],
    [
      'names of the adapter, and none',
      { path: list, type: form, body: `${account}&shopperReference=nobody` },
      'unknownField',
    ],
    [
      'names of another operation',
      { path: list, type: form, body: adapted.replaceAll('recurringDetailsRequest', 'disableRequest') },
      'unknownField',
    ],
    [
      'the action of another operation',
      { path: list, type: form, body: adapted.replace(action, 'action=Recurring.disable') },
      'undecodable',
    ],
    [
      'two XML declarations',
      { path: service, type: 'text/xml', body: `\n<?xml version="1.0"?><?xml version="1.0"?>${soap}` },
      'undecodable',
    ],
    [
      'another version of XML',
      { path: service, type: 'text/xml', body: `\n<?xml version="1.1"?>${soap}` },
      'undecodable',
    ],
    [
      'a document type behind blanks',
      { path: service, type: 'text/xml', body: `\n<?xml version="1.0"?><!DOCTYPE e>${soap}` },
      'undecodable',
    ],
    [
      'text before the declaration',
      { path: service, type: 'text/xml', body: `x<?xml version="1.0"?>${soap}` },
      'undecodable',
    ],
    ['XML declared as JSON of the other name', { path: list, type: 'text/json', body: soap }, 'undecodable'],
  ];
  test.each(refused)('%s', async (_, sent, outcome) => {
    expect((await outcomeOf(gateway, sent))[0]).toBe(outcome);
  });

  test('what is wrong is said', async () => {
    const { message } = await ask(gateway, { path: list, type: form, body: `${adapted}&shopperReference=a` });
    expect(decodeURIComponent(message.body)).toContain('fields:+[recurringDetailsRequest]');
    const behind = inParts(adapted) + inParts('recurringDetailsRequest.recurring.contract=ONECLICK');
    const { entry } = await ask(gateway, { path: adapter, type: parts, body: behind });
    expect(entry.problem?.reason).toBe('parts behind the end');
    const file = inParts(adapted).replace(
      'name="action"',
      'name="action"; filename="a.txt"\r\nContent-Type: text/plain',
    );
    const refused = await ask(gateway, { path: adapter, type: parts, body: file });
    expect(refused.entry.problem?.reason).toBe('part is no field');
  });

  test('the declared encoding counts behind blanks, too', async () => {
    const body = Buffer.from(
      `\n<?xml version="1.0" encoding="ISO-8859-1"?>${soap.replace('nobody', 'no\u00ebl')}`,
      'latin1',
    );
    const { decoded } = await ask(gateway, { path: service, type: 'text/xml', body });
    expect(decoded?.input).toMatchObject({ shopperReference: 'no\u00ebl' });
  });

  test('parts may declare their charset, and hold what a form would have to encode', async () => {
    const value = 'a&b=c+d %41 \u00eb';
    const latin = `${inParts(`${action}&${account}`).replace(`--${boundary}--\r\n`, '')}--${boundary}\r\nContent-Disposition: form-data; name="recurringDetailsRequest.shopperReference"\r\nContent-Type: text/plain; charset=ISO-8859-1\r\n\r\n${value}\r\n--${boundary}--`;
    const { decoded } = await ask(gateway, { path: adapter, type: parts, body: Buffer.from(latin, 'latin1') });
    expect(decoded?.input).toMatchObject({ shopperReference: value });
  });

  test('an empty segment for a field of a path is none of two slashes', async () => {
    const find = async (path: string) =>
      (await gateway.ask({ method: 'GET', path, headers: callers.platformKey, body: '' })).entry;
    const empty = await find('/bcl/v2/accountHolders//balanceAccounts');
    expect([empty.outcome, empty.leniencies]).toEqual(['notFound', undefined]);
    const front = await find('//bcl/v2/balancePlatforms/x');
    expect([front.outcome, front.leniencies]).toEqual(['notFound', undefined]);
  });
});

describe('secrets in a query', () => {
  const number = '4111111111111111';
  const store = [
    'action=Recurring.storeToken',
    'storeTokenRequest.merchantAccount=DemoMerchant',
    'storeTokenRequest.shopperReference=shopper-1',
    'storeTokenRequest.recurring.contract=RECURRING',
    'storeTokenRequest.card.expiryMonth=3',
    'storeTokenRequest.card.expiryYear=2031',
    'storeTokenRequest.card.holderName=A',
  ].join('&');

  test.each([
    ['a card number', `storeTokenRequest.card.number=${number}`, 'storeTokenRequest.card.number'],
    ['a security code', 'storeTokenRequest.card.cvc=737', 'storeTokenRequest.card.cvc'],
    ['an entry of a map', `storeTokenRequest.additionalData.x=${number}`, 'storeTokenRequest.additionalData.x'],
  ])('%s is refused, and not repeated', async (_, pair, place) => {
    const rest = pair.includes('card.number') ? '' : `&storeTokenRequest.card.number=${number}`;
    const { message, entry } = await ask(gateway, { path: `${adapter}?${pair}`, type: form, body: store + rest });
    expect(entry.outcome).toBe('structure');
    expect(message.body).toBe(
      `validation 702 Problem parsing request: ${place.replace('storeTokenRequest.', '')} may not stand in the query`,
    );
    const { problem: _problem, ...logged } = entry;
    expect(JSON.stringify([message, logged])).not.toMatch(/4111111111111111|737/);
  });

  test('the same in the body is stored', async () => {
    const own = await openGateway();
    const body = `${store}&storeTokenRequest.card.number=${number}`;
    expect((await outcomeOf(own, { path: adapter, type: form, body }))[0]).toBe('ok');
    await own.close();
  });

  test('credentials in a query are no credentials', async () => {
    const path = `${adapter}?user=demo&password=demo&${adapted}`;
    const { entry } = await gateway.ask({ path, headers: { 'content-type': form }, body: '' });
    expect([entry.outcome, entry.path]).toEqual(['unauthorized', adapter]);
  });

  test('a field that would widen what a request does is never dropped', async () => {
    const path = `${adapter}?disableRequest.recurringDetailReference=8313147988756818`;
    const body =
      'action=Recurring.disable&disableRequest.merchantAccount=DemoMerchant&disableRequest.shopperReference=shopper-1';
    const own = await openGateway();
    const before = await own.active();
    expect((await outcomeOf(strict, { path, type: form, body }))[0]).toBe('undecodable');
    expect((await outcomeOf(own, { path, type: form, body }))[0]).toBe('ok');
    expect(before.length - (await own.active()).length).toBe(1);
    await own.close();
  });
});
