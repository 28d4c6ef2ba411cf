/** Addresses, methods and media types: what is served, and how the rest is refused in the caller's own format. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { newestRecurring, recurringV25 } from '../../src/payments/recurring/versions.ts';
import { formats } from '../formats/index.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { type Loose, textNode } from '../support/lenient.ts';
import type { ProblemName } from '../support/problems.ts';
import { fault11, fault12 } from './case.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const list = '/pal/servlet/Recurring/v25/listRecurringDetails';
const listRecurringDetails = recurringV25.operations.get('listRecurringDetails')!;
const request: Loose = {
  kind: 'object',
  members: [
    { name: 'merchantAccount', node: textNode('DemoMerchant') },
    { name: 'shopperReference', node: textNode('nobody') },
  ],
};
const bodyIn = (name: NamedProtocol) => formats[name].print(recurringV25, listRecurringDetails, request);
const pathOf = (name: NamedProtocol) => formats[name].path(recurringV25, listRecurringDetails);

const ask = (name: NamedProtocol, path: string, { type = formats[name].contentType, method = 'POST' } = {}) =>
  gateway.ask({ method, path, headers: { 'content-type': type, ...callers.key }, body: bodyIn(name) });

/** By the contract of version 25 where none is named. */
const served: readonly (readonly [NamedProtocol, string, number?])[] = [
  ['soap11', '/pal/servlet/Recurring/v25'],
  ['soap11', '/pal/servlet/Recurring/v25/'],
  ['soap11', '/pal/servlet/Recurring/V25/'],
  ['soap11', '/pal/servlet/Recurring/v1', 1],
  ['soap11', '/pal/servlet/Recurring/v2', 2],
  ['soap11', '/pal/servlet/Recurring/v11', 5],
  ['soap11', '/pal/servlet/Recurring/V12/', 12],
  ['soap11', '/pal/servlet/Recurring/v13', 13],
  ['soap11', '/pal/servlet/Recurring/v30'],
  ['soap11', '/pal/servlet/Recurring/v39'],
  ['soap11', '/pal/servlet/Recurring/v40', 40],
  ['soap11', '/pal/servlet/Recurring/v68/listRecurringDetails', 68],
  ['soap11', '/pal/servlet/soap/Recurring', 1],
  ['soap11', '/pal/servlet/soap/Recurring/', 1],
  ['soap12', '/pal/servlet/Recurring/V25'],
  ['soap12', '/pal/servlet/soap/Recurring', 1],
  ['json', '/pal/servlet/soap/Recurring/listRecurringDetails'],
  ['form', '/pal/servlet/soap/Recurring/listRecurringDetails/'],
  ['soap11', '/pal/servlet/soap/Recurring/listRecurringDetails'],
  ['json', list],
  ['json', `${list}/`],
  ['json', '/pal/servlet/Recurring/v24/listRecurringDetails', 18],
  ['json', '/pal/servlet/Recurring/v45/listRecurringDetails', 40],
  ['json', '/pal/servlet/Recurring/v48/listRecurringDetails', 46],
  ['json', '/pal/servlet/Recurring/v60/listRecurringDetails', 46],
  ['form', '/pal/servlet/Recurring/v67/listRecurringDetails', 61],
  ['json', '/pal/servlet/Recurring/V68/listRecurringDetails', 68],
  ['form', '/pal/servlet/Recurring/v18/listRecurringDetails', 18],
  ['form', list],
  ['form', '/pal/servlet/Recurring/V26/listRecurringDetails/'],
  ['adapter', '/pal/adapter/httppost'],
  ['adapter', '/pal/adapter/httppost/'],
  ...namedProtocols.map((name) => [name, pathOf(name)] as const),
];

describe('served', () => {
  test.each(served)('%s at %s', async (name, path, version = 25) => {
    const { message, entry } = await ask(name, path);
    expect([message.status, entry.protocol, entry.version, entry.operation]).toEqual([
      200,
      name,
      version,
      'listRecurringDetails',
    ]);
  });
});

const reference = '"pspReference":"PSP';
type Advice = readonly [place: string, message: string] | undefined;
const atPath = ['path', 'it is none of the addresses /pal/servlet/Recurring/v68, /bcl/v2'] as const;
const atService = ['path', 'it is none of the addresses /pal/servlet/Recurring/v25'] as const;
const atSegment = ['path', 'its last segment names the operation'] as const;

const jsonText = (status: number, code: string, text: string, advice?: Advice) => {
  const fields = advice && `"invalidFields":[{"name":"${advice[0]}","message":"${advice[1]}"}],`;
  return `{"status":${status},"errorCode":"${code}","message":"${text}","errorType":"validation",${fields ?? ''}${reference}`;
};
const formText = (status: number, text: string, advice?: Advice) => {
  const pairs = { 'invalidFields.0.name': advice?.[0] ?? '', 'invalidFields.0.message': advice?.[1] ?? '' };
  const fields = advice === undefined ? '' : `&${new URLSearchParams(pairs)}`.replaceAll('+', '\\+');
  return new RegExp(
    `^errorType=validation&errorCode=000&message=${text}${fields}&pspReference=PSP\\d+&status=${status}$`,
  );
};
const noService11 = fault11('validation 000 Service not found', 'Server', [atPath]);

type Row = readonly [
  title: string,
  protocol: NamedProtocol,
  path: string,
  problem: ProblemName,
  status: number,
  body: string | RegExp,
];

const versions = `Version not found; served here: v1 to v${newestRecurring.version}`;
const operations = `Operation not found; served here: ${[...recurringV25.operations.keys()].join(', ')}`;

const missing: readonly Row[] = [
  [
    'a newer version',
    'soap11',
    '/pal/servlet/Recurring/v9999',
    'unknownVersion',
    404,
    fault11(`validation 000 ${versions}`),
  ],
  [
    'a newer version',
    'soap12',
    '/pal/servlet/Recurring/v9999',
    'unknownVersion',
    404,
    fault12(`validation 000 ${versions}`),
  ],
  [
    'a newer version',
    'json',
    '/pal/servlet/Recurring/v9999/disable',
    'unknownVersion',
    404,
    jsonText(404, '000', versions),
  ],
  ['version 0', 'soap11', '/pal/servlet/Recurring/v0', 'notFound', 404, noService11],
  [
    'a leading zero',
    'json',
    '/pal/servlet/Recurring/v025/disable',
    'notFound',
    404,
    jsonText(404, '000', 'Service not found', atPath),
  ],
  [
    'six digits',
    'form',
    '/pal/servlet/Recurring/v999999/disable',
    'notFound',
    404,
    formText(404, 'Service\\+not\\+found', atPath),
  ],
  [
    'a newer version',
    'form',
    '/pal/servlet/Recurring/v100/disable',
    'unknownVersion',
    404,
    formText(404, 'Version\\+not\\+found%3B.*'),
  ],
  [
    'an unknown operation',
    'json',
    '/pal/servlet/Recurring/v25/enable',
    'unknownOperation',
    404,
    jsonText(404, '000', operations, atSegment),
  ],
  [
    'no operation',
    'json',
    '/pal/servlet/Recurring/v25',
    'unknownOperation',
    404,
    jsonText(404, '000', operations, atSegment),
  ],
  [
    'no operation',
    'form',
    '/pal/servlet/Recurring/v25/',
    'unknownOperation',
    404,
    formText(404, 'Operation\\+not\\+found%3B.*', atSegment),
  ],
  [
    'an unknown operation',
    'soap11',
    '/pal/servlet/Recurring/v25/enable',
    'unknownOperation',
    500,
    fault11(`validation 000 ${operations}`, 'Server', [atSegment]),
  ],
  [
    'another service',
    'json',
    '/pal/servlet/Payment/v25/authorise',
    'notFound',
    404,
    jsonText(404, '000', 'Service not found', atPath),
  ],
  ['another service', 'soap11', '/pal/servlet/soap/Payment', 'notFound', 404, noService11],
  [
    'a name of every object',
    'json',
    '/pal/servlet/constructor/v25/disable',
    'notFound',
    404,
    jsonText(404, '000', 'Service not found', atPath),
  ],
  [
    'a path encoded',
    'json',
    '/pal/servlet/Recurring/v25/dis%61ble',
    'notFound',
    404,
    jsonText(404, '000', 'Service not found', atService),
  ],
  [
    'a path with dots',
    'json',
    '/pal/servlet/Recurring/../Recurring/v25/disable',
    'notFound',
    404,
    jsonText(404, '000', 'Service not found', atPath),
  ],
  ['the root', 'form', '/', 'notFound', 404, formText(404, 'Service\\+not\\+found', atPath)],
];

describe('not found', () => {
  test.each(missing)('%s, %s at %s', async (_, name, path, problem, status, body) => {
    const { message, entry } = await ask(name, path);
    expect([entry.outcome, message.status]).toEqual([problem, status]);
    if (typeof body === 'string' && body.startsWith('{')) expect(message.body.startsWith(body)).toBe(true);
    else if (typeof body === 'string') expect(message.body).toBe(body);
    else expect(message.body).toMatch(body);
  });
});

describe('other methods', () => {
  const methods = ['GET', 'PUT', 'DELETE', 'OPTIONS'];
  test.each(served.flatMap(([name, path]) => methods.map((method) => [method, name, path] as const)))(
    '%s in %s at %s: 405 with Allow',
    async (method, name, path) => {
      const { message, entry } = await ask(name, path, { method });
      expect([entry.protocol, entry.outcome, message.status]).toEqual([name, 'methodNotAllowed', 405]);
      expect(message.headers.Allow).toBe('POST');
    },
  );
});

describe('GET without credentials, as health checks of old plugins send it', () => {
  const addresses = [...new Set(served.map(([, path]) => path)), '/bcl/v2', '/bcl/v1/'];
  const get = (path: string, headers: object, method = 'GET') =>
    gateway.ask({ method, path, headers: { ...headers }, body: '' });

  test.each(addresses.flatMap((path) => ['GET', 'HEAD'].map((method) => [method, path] as const)))(
    '%s %s: 401 with a challenge',
    async (method, path) => {
      for (const who of [callers.anonymous, callers.wrong]) {
        const { message, entry } = await get(path, who, method);
        expect([entry.outcome, message.status]).toEqual(['unauthorized', 401]);
        expect(message.headers['WWW-Authenticate']).toBe('Basic realm="Triglyph", charset="UTF-8"');
      }
    },
  );

  test.each(['/', '/pal/servlet/Payment/v25', '/pal/servlet/Recurring', '/pal/servlet/Recurring/v9999', `${list}/x`])(
    'no service is at %s: 404',
    async (path) => {
      expect((await get(path, callers.anonymous)).message.status).toBe(404);
    },
  );

  test('with credentials: 405, and 404 where only resources are', async () => {
    expect((await get(list, callers.key)).message.status).toBe(405);
    expect((await get('/bcl/v2', callers.platform)).message.status).toBe(404);
  });

  test('other methods say 405 without credentials', async () => {
    expect((await get(list, callers.anonymous, 'PUT')).message.status).toBe(405);
  });
});

describe('media types', () => {
  const taken: readonly (readonly [NamedProtocol, string])[] = [
    ['json', 'application/json;charset=UTF-8'],
    ['json', 'Application/JSON ; charset="utf-8"'],
    ['json', 'application/json; version=1'],
    ['form', 'application/x-www-form-urlencoded;charset=utf8'],
    ['form', 'application/x-www-form-urlencoded'],
    ['soap11', 'text/xml'],
    ['soap11', 'text/xml;charset=UTF8'],
    ['soap11', 'application/xml'],
    ['soap11', 'Application/XML; charset=utf-8'],
    ['soap12', 'application/soap+xml'],
    ['soap12', 'application/soap+xml;charset=utf-8;action="listRecurringDetails"'],
  ];
  test.each(taken)('%s takes %s', async (name, type) => {
    const { message } = await ask(name, pathOf(name), { type });
    expect(message.status).toBe(200);
  });

  /** Who is answered in which format, when what was declared is not spoken. */
  const refused: readonly (readonly [sent: NamedProtocol, type: string, answered: NamedProtocol])[] = [
    ['json', 'text/plain', 'json'],
    ['json', 'multipart/form-data; boundary=x', 'json'],
    ['json', 'constructor', 'json'],
    ['json', 'application/json; charset=utf-16', 'json'],
    ['json', 'application/json; charset=utf-7', 'json'],
    ['json', 'application/json; charset=bogus', 'json'],
    ['form', 'application/x-www-form-urlencoded; charset=iso-8859-15', 'form'],
    ['soap11', 'text/xml; charset=iso-8859-15', 'soap11'],
    ['soap12', 'application/soap+xml; charset=utf-7', 'soap12'],
    ['soap12', 'multipart/mixed; boundary=x', 'json'],
    ['adapter', 'application/json', 'adapter'],
    ['adapter', 'text/plain', 'adapter'],
  ];
  test.each(refused)('%s as "%s": 415 in %s', async (sent, type, answered) => {
    const { message, entry } = await ask(sent, sent === 'adapter' ? pathOf(sent) : list, { type });
    expect([entry.protocol, entry.outcome, message.status]).toEqual([answered, 'unsupportedMedia', 415]);
  });

  test('an encoding in the XML declaration that is not spoken: 415', async () => {
    const body = `<?xml version="1.0" encoding="Shift_JIS"?>${bodyIn('soap11')}`;
    const headers = { 'content-type': 'text/xml', ...callers.demo };
    const { message } = await gateway.ask({ path: '/pal/servlet/Recurring/v25', headers, body });
    expect(message.status).toBe(415);
    const named = { ...headers, 'content-type': 'text/xml; charset=utf-8' };
    const ruled = await gateway.ask({ path: '/pal/servlet/Recurring/v25', headers: named, body });
    // The charset of the header outranks the declaration (RFC 7303, WS-I R1019).
    expect(ruled.message.status).toBe(200);
  });

  test('a body is read as what it is declared to be', async () => {
    const read = async (sent: NamedProtocol, as: NamedProtocol) => {
      const headers = { 'content-type': formats[as].contentType, ...callers.demo };
      return (await gateway.ask({ path: list, headers, body: bodyIn(sent) })).entry.outcome;
    };
    expect(await read('form', 'json')).toBe('undecodable');
    // As curl declares every body.
    expect(await read('json', 'form')).toBe('ok');
    expect(await read('soap11', 'json')).toBe('undecodable');
    expect(await read('json', 'soap11')).toBe('undecodable');
  });
});

describe('credentials', () => {
  test('both sorts at once: 400', async () => {
    const headers = { 'content-type': 'application/json', ...callers.demo, ...callers.key };
    const { message } = await gateway.ask({ path: list, headers, body: bodyIn('json') });
    expect(message.status).toBe(400);
  });

  test.each(['Basic', 'Basic !!!', `Basic ${btoa('no colon')}`, 'Bearer x', 'Basic  '])(
    '"%s": 401',
    async (authorization) => {
      const { message } = await gateway.ask({
        path: list,
        headers: { 'content-type': 'application/json', authorization },
        body: '{',
      });
      expect([message.status, message.headers['WWW-Authenticate']]).toEqual([
        401,
        'Basic realm="Triglyph", charset="UTF-8"',
      ]);
    },
  );

  test('who is refused learns nothing of the body', async () => {
    const headers = { 'content-type': 'application/json', ...callers.withoutRole };
    const { entry } = await gateway.ask({ path: list, headers, body: '{"colour":1}' });
    expect(entry.outcome).toBe('notAllowed');
  });
});
