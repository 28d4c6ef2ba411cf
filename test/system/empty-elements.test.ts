/** What is there and empty, and what a WSDL says in rare ways, through an imported contract: both ways in each format. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Service } from '../../src/core/contract/service.ts';
import { service as declare } from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { importWsdl } from '../support/import-wsdl.ts';
import { runContract } from '../support/run-contract.ts';

const soap11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const soap12 = 'http://www.w3.org/2003/05/soap-envelope';
const xsi = 'http://www.w3.org/2001/XMLSchema-instance';

let server: Server;
/** What the server answers. */
let answer = '';
/** The elements that the server got. */
const received: string[] = [];

/** The element of the Body, without the declarations of namespaces, prefixes and end tags of empty elements. */
function elementIn(envelope: string): string {
  const [, , body = ''] = /<(\w+):Body[^>]*>(.*)<\/\1:Body>/s.exec(envelope) ?? [];
  return body
    .replace(/ xmlns(?::\w+)?="[^"]*"/g, '')
    .replace(/<(\/?)\w+:/g, '<$1')
    .replace(/<(\w+)([^<>]*)><\/\1>/g, '<$1$2/>');
}

const envelopeOf = (element: string, uri = soap11) =>
  `<e:Envelope xmlns:e="${uri}" xmlns:xsi="${xsi}"><e:Body>${element}</e:Body></e:Envelope>`;
const inNamespace = (element: string) => element.replace(/^<(\w+)/, '<$1 xmlns="urn:roster"');

async function serve(service: Service): Promise<{ readonly gateway: RunningGateway; readonly origin: string }> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/roster`;
  const contract = declare({ ...service, operations: [...service.operations.values()] });
  const gateway = await createGateway({
    services: [contract.answeredBy('roster')],
    upstreams: { roster: { url, format: 'soap11', credentials: 'forward', singleAddress: true } },
    settings: { LOG_LEVEL: 'silent' },
  });
  return { gateway, origin: (await gateway.listen()).origin };
}

let own: Awaited<ReturnType<typeof serve>>;
/** Its contract is the same, without what says that something empty, or nil, is a value. */
let control: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    received.push(elementIn(await text(request)));
    response.setHeader('content-type', 'text/xml;charset=utf-8').end(envelopeOf(inNamespace(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const imported = await importWsdl(join(import.meta.dirname, '../wsdl/roster.wsdl'), { allowNetwork: false });
  own = await serve(imported.service);
  const without = imported.text.replace(/(?:emptyString|emptyObject|whenEmpty): '\w+',?|nullItems: true,?/g, '');
  control = await serve(runContract(without));
});
afterAll(async () => {
  await own.gateway.close();
  await control.gateway.close();
  server.close();
});
beforeEach(() => {
  received.length = 0;
});

async function post(path: string, type: string, body: string, { origin } = own) {
  const headers = { 'content-type': type, soapaction: '""' };
  const response = await fetch(origin + path, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

const call = {
  json: (operation: string, value: unknown, at = own) =>
    post(`/roster/${operation}`, 'application/json', JSON.stringify(value), at),
  form: (operation: string, pairs: string) => post(`/roster/${operation}`, 'application/x-www-form-urlencoded', pairs),
  soap11: (element: string) => post('/roster', 'text/xml', envelopeOf(inNamespace(element))),
  soap12: (element: string) => post('/roster', 'application/soap+xml', envelopeOf(inNamespace(element), soap12)),
};

interface Case {
  readonly content: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly pairs: string;
  /** Attributes of the element around the content. */
  readonly attributes?: string;
}

const empties: readonly (readonly [title: string, each: Case])[] = [
  ['an element of a type without content', { content: '<Done/>', value: { Done: {} }, pairs: 'Done=' }],
  ['an empty text', { content: '<Note/>', value: { Note: '' }, pairs: 'Note=' }],
  ['a list without items', { content: '<Texts/>', value: { Texts: [] }, pairs: 'Texts=' }],
  [
    'an empty text among items',
    {
      content: '<Texts><Text/><Text>a</Text></Texts>',
      value: { Texts: ['', 'a'] },
      pairs: 'Texts.0=&Texts.1=a',
    },
  ],
  [
    'an empty object among items',
    {
      content: '<Member/><Member><First>a</First></Member>',
      value: { Member: [{}, { First: 'a' }] },
      pairs: 'Member.0=&Member.1.First=a',
    },
  ],
  ['no bytes', { content: '<Photo/>', value: { Photo: '' }, pairs: 'Photo=' }],
  ['an empty value of an enumeration', { content: '', value: { kind: '' }, pairs: 'kind=', attributes: ' kind=""' }],
];

const rare: readonly (readonly [title: string, each: Case])[] = [
  [
    'a member that objects of JavaScript inherit, and its absence',
    {
      content: '<Member><toString>x</toString></Member><Member><Last>y</Last></Member>',
      value: { Member: [{ toString: 'x' }, { Last: 'y' }] },
      pairs: 'Member.0.toString=x&Member.1.Last=y',
    },
  ],
  [
    'a restricted text has the attributes of its base that are not prohibited',
    {
      content: '<Fee rate="1.5" currency="EUR">7</Fee>',
      value: { Fee: { value: 7, rate: 1.5, currency: 'EUR' } },
      pairs: 'Fee.value=7&Fee.rate=1.5&Fee.currency=EUR',
    },
  ],
  [
    'so has a restricted type',
    {
      content: '<Entry line="2" id="1" source="s"><Key>k</Key></Entry>',
      value: { Entry: { Key: 'k', line: 2, id: 1, source: 's' } },
      pairs: 'Entry.Key=k&Entry.line=2&Entry.id=1&Entry.source=s',
    },
  ],
  [
    'a list of elements that stand for an abstract one',
    {
      content: '<Things><Person><First>a</First></Person><Robot/><Robot><Last>z</Last></Robot></Things>',
      value: { Things: { Person: [{ First: 'a' }], Robot: [{}, { Last: 'z' }] } },
      pairs: 'Things.Person.0.First=a&Things.Robot.0=&Things.Robot.1.Last=z',
    },
  ],
];

describe.each([...empties, ...rare])('%s', (_, { content, value, pairs, attributes = '' }) => {
  const saved = `<Save${attributes}><Title>t</Title>${content}</Save>`;

  test('reaches the server from each format', async () => {
    answer = '<SaveResponse><Title>t</Title></SaveResponse>';
    await call.json('Save', { Title: 't', ...value });
    await call.form('Save', `Title=t&${pairs}`);
    await call.soap11(saved);
    await call.soap12(saved);
    expect(received).toEqual([saved, saved, saved, saved]);
  });

  test('reaches callers in each format', async () => {
    answer = `<SaveResponse${attributes}><Title>t</Title>${content}</SaveResponse>`;
    const json = await call.json('Save', { Title: 't' });
    expect([json.status, JSON.parse(json.text)]).toEqual([200, expect.objectContaining(value)]);
    const form = await call.form('Save', 'Title=t');
    expect(form.text.split('&')).toEqual(expect.arrayContaining(pairs.split('&')));
    for (const { text } of [await call.soap11(saved), await call.soap12(saved)]) expect(elementIn(text)).toBe(answer);
  });
});

const inContent = empties.filter(([, { attributes }]) => attributes === undefined);

test.each(inContent)('%s is lost without what the import says of it: a control', async (_, each) => {
  answer = '<SaveResponse><Title>t</Title></SaveResponse>';
  const { status, text } = await call.json('Save', { Title: 't', ...each.value }, control);
  const isRefused = status === 400 && text.includes('empty item');
  expect(isRefused || received[0] === '<Save><Title>t</Title></Save>').toBe(true);
});

test.each([
  [200, 200],
  [300, 500],
])('stubs may declare %d namespaces that they know: %d', async (count, status) => {
  answer = '<SaveResponse><Title>t</Title></SaveResponse>';
  const declared = Array.from({ length: count }, (_, at) => `xmlns:ns${at}="urn:${at}"`).join(' ');
  expect((await call.soap11(`<Save ${declared}><Title>t</Title></Save>`)).status).toBe(status);
});

describe('a nil item', () => {
  interface NilCase {
    readonly content: string;
    readonly value: object;
    readonly pairs: string;
    /** The value without the item, and the place of the item. */
    readonly plain: object;
    readonly name: string;
  }
  const items: readonly (readonly [title: string, each: NilCase])[] = [
    [
      'of a list',
      {
        content: '<Texts><Text>a</Text><Text xsi:nil="true"/></Texts>',
        value: { Texts: ['a', null] },
        pairs: 'Texts.0=a&Texts.1.%40nil=true',
        plain: { Texts: ['a'] },
        name: 'Texts.1',
      },
    ],
    [
      'of a repeated element',
      {
        content: '<Member xsi:nil="true"/><Member/>',
        value: { Member: [null, {}] },
        pairs: 'Member.0.%40nil=true&Member.1=',
        plain: {},
        name: 'Member.0',
      },
    ],
  ];

  test.each(items)('%s is null, both ways', async (_, { content, value, pairs }) => {
    answer = `<SaveResponse><Title>t</Title>${content}</SaveResponse>`;
    const json = await call.json('Save', { Title: 't', ...value });
    const form = await call.form('Save', `Title=t&${pairs}`);
    const soap = await call.soap11(`<Save><Title>t</Title>${content}</Save>`);
    expect([json.status, JSON.parse(json.text)]).toEqual([200, expect.objectContaining(value)]);
    expect(form.text).toContain(pairs);
    expect(elementIn(soap.text)).toContain(content);
    expect(received).toEqual(Array(3).fill(`<Save><Title>t</Title>${content}</Save>`));
  });

  test.each(items)('%s is no value without the option: a control', async (_, { content, value, plain, name }) => {
    answer = `<SaveResponse><Title>t</Title>${content}</SaveResponse>`;
    const { text } = await call.json('Save', { Title: 't' }, control);
    const unknownMembers = expect.arrayContaining([{ name, value: expect.stringContaining('nil="true"') }]);
    expect(JSON.parse(text)).toEqual(expect.objectContaining({ ...plain, unknownMembers }));
    received.length = 0;
    const refused = await call.json('Save', { Title: 't', ...value }, control);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('holds an empty item')]);
    expect(received).toEqual([]);
  });
});

describe('a message that is of any type', () => {
  const held = '<a xmlns="urn:x" b="1"><c>2</c><d xmlns=""/></a>';

  test.each([
    ['elements', held],
    ['a text', '1 &lt; 2'],
    ['nothing', ''],
  ])('may hold %s, both ways', async (_, content) => {
    answer = `<KeepResponse>${content}</KeepResponse>`;
    const json = await call.json('Keep', { value: `<value>${content}</value>` });
    const { text } = await call.soap11(`<Keep>${content}</Keep>`);
    const plain = elementIn(envelopeOf(`<Keep>${content}</Keep>`));
    expect(received).toEqual([plain, plain]);
    // The name of the outer element means nothing.
    const outer = content === '' ? '<KeepResponse/>' : `<KeepResponse>${content}</KeepResponse>`;
    expect(JSON.parse(json.text)).toEqual({ value: outer });
    expect(elementIn(text)).toBe(plain.replaceAll('Keep', 'KeepResponse'));
  });

  test('has attributes of its element', async () => {
    answer = '<KeepResponse rank="1">x</KeepResponse>';
    const { text } = await call.json('Keep', { value: '<value rank="2">y</value>' });
    expect([received, JSON.parse(text)]).toEqual([
      ['<Keep rank="2">y</Keep>'],
      { value: '<KeepResponse rank="1">x</KeepResponse>' },
    ]);
  });
});
