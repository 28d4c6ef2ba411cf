/** What XSD says in another way than JSON, and odd documents, through a gateway in front of a server that sends back what arrives. */
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listenLocally } from '../support/listen-locally.ts';
import { post, type ServingProgram, serve } from '../support/serving-program.ts';
import { tempFolder } from '../support/temp-folder.ts';

const text = { type: 'string' };
const numbers = { type: 'array', items: { type: 'integer' } };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const ok = (schema: unknown, type = 'application/json') => ({
  200: { description: '', content: { [type]: { schema } } },
});
const parameter = (name: string, location: string, more = {}) => ({
  name,
  in: location,
  required: location === 'path',
  schema: text,
  ...more,
});
const get = (operationId: string, ...parameters: readonly unknown[]) => ({
  get: { operationId, parameters, responses: ok({}) },
});
/** An operation that answers what it receives. */
const echo = (operationId: string, schema: unknown, more = { required: true }) => ({
  post: { operationId, requestBody: { ...more, content: { 'application/json': { schema } } }, responses: ok(schema) },
});

const document = {
  openapi: '3.1.0',
  info: { title: 'Odd', version: '1' },
  servers: [{ url: 'https://{host}.example/{base}', variables: { host: { default: 'a' }, base: { default: 'v1' } } }],
  paths: {
    '/echo': echo('echo', ref('All')),
    '/grid': echo('grid', { type: 'array', items: numbers }),
    '/table': echo('table', ref('Table')),
    '/draft': echo('draft', ref('Table'), { required: false }),
    '/files/{id}.json': get('fileJson', parameter('id', 'path')),
    '/files/{id}': get('file', parameter('id', 'path')),
    '/range/{a}-{b}': get('range', parameter('a', 'path'), parameter('b', 'path')),
    '/proxy/{proxy+}': get('proxy', parameter('proxy+', 'path')),
    '/slash/': get('slash'),
    '/slash': get('noSlash'),
    '/Case': get('upperCase'),
    '/case': get('lowerCase'),
    '/same/{x}': get('sameX', parameter('x', 'path')),
    '/same/{y}': get('sameX', parameter('y', 'path')),
    '/asked?kind={kind}&fixed=1': get('asked', parameter('kind', 'query')),
    '/names': get('it\'s "quoted"\n*/__proto__', parameter('__proto__', 'query'), parameter('constructor', 'query')),
    '/cookie': get('cookie', parameter('sid', 'cookie')),
    relative: get('relative'),
    '/verbs': {
      ...get('verbs'),
      trace: { responses: ok({}) },
      additionalOperations: { COPY: { responses: ok({}) } },
    },
    '/called': {
      servers: [{ url: 'https://other.example' }],
      post: { operationId: 'called', callbacks: { done: { '{$request.body#/url}': { post: {} } } }, responses: ok({}) },
    },
  },
  webhooks: { news: { post: { responses: ok({}) } } },
  components: {
    schemas: {
      All: {
        type: 'object',
        properties: {
          grid: { type: 'array', items: numbers },
          cube: { type: 'array', items: { type: 'array', items: { type: 'array', items: text } } },
          stock: { type: 'object', additionalProperties: { type: 'integer', format: 'int32' } },
          pets: { type: 'object', additionalProperties: ref('Pet') },
          lists: { type: 'object', additionalProperties: { type: 'array', items: text } },
          deep: { type: 'object', additionalProperties: { type: 'object', additionalProperties: { type: 'number' } } },
          maps: { type: 'array', items: { type: 'object', additionalProperties: text } },
          input: { oneOf: [text, { type: 'array', items: text }, ref('Pet')] },
          big: { type: 'integer', format: 'int64' },
          kind: { type: 'string', enum: ['a', 'b'] },
          a: ref('A'),
        },
      },
      Table: {
        type: 'object',
        required: ['rows', 'id'],
        properties: {
          id: { type: 'array', items: text, readOnly: true },
          rows: { type: 'array', items: numbers },
          notes: { type: 'array', items: text },
          order: ref('Order'),
          stock: { type: 'object', additionalProperties: { type: 'integer', format: 'int32' } },
          labels: { type: 'object', additionalProperties: text },
          input: { oneOf: [text, { type: 'array', items: text }, ref('Pet')] },
        },
      },
      Order: {
        type: 'object',
        required: ['lines'],
        properties: { lines: { type: 'array', items: ref('Pet') }, gift: ref('Pet') },
      },
      Pet: { type: 'object', properties: { name: text, age: { type: 'integer' } } },
      A: { type: 'object', properties: { x: text, b: ref('B') } },
      B: { type: 'object', properties: { y: text, all: { type: 'array', items: ref('A') } } },
    },
  },
};

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const folder = tempFolder();
const received: Received[] = [];
let server: Server;
let gateway: ServingProgram;
let callers = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const body = Buffer.concat(chunks).toString();
      received.push({ method, url, headers, body });
      response.setHeader('Content-Type', 'application/json');
      response.end(body === '' ? '{}' : body);
    });
  });
  writeFileSync(join(folder.path, 'odd.json'), JSON.stringify(document));
  const upstream = `http://127.0.0.1:${await listenLocally(server)}`;
  gateway = await serve(['--openapi', 'odd.json', '--upstream', upstream], folder.path);
  ({ callers } = gateway);
});
afterAll(async () => {
  await gateway.stop();
  server.closeAllConnections();
  server.close();
  folder.discard();
});

const envelopes = {
  'text/xml': 'http://schemas.xmlsoap.org/soap/envelope/',
  'application/soap+xml': 'http://www.w3.org/2003/05/soap-envelope',
} as const;
const form = 'application/x-www-form-urlencoded';

async function soap(message: string, type: keyof typeof envelopes = 'text/xml') {
  const named = message.replace(/^<(\w+)/, '<$1 xmlns="urn:openapi:odd"');
  return await post(
    `${callers}/Odd/v1`,
    type,
    `<e:Envelope xmlns:e="${envelopes[type]}"><e:Body>${named}</e:Body></e:Envelope>`,
  );
}
const last = () => received.at(-1);

const json =
  '{"grid":[[1,2],[],[3]],"cube":[[["a"],["b","c"]],[["d"]]],"stock":{"sold":3,"in stock":4},"pets":{"rex.1":{"name":"Rex","age":3},"__proto__":{"name":"B"}},' +
  '"lists":{"a":["x","y"],"b":[]},"deep":{"m":{"n":1.5}},"maps":[{"k":"v"}],"input":["p","q"],"big":9223372036854775807,"kind":"a","a":{"x":"1","b":{"y":"2","all":[{"x":"3"}]}}}';
const elements =
  '<grid><item>1</item><item>2</item></grid><grid></grid><grid><item>3</item></grid>' +
  '<cube><item><item>a</item></item><item><item>b</item><item>c</item></item></cube><cube><item><item>d</item></item></cube>' +
  '<stock><entry><key>sold</key><value>3</value></entry><entry><key>in stock</key><value>4</value></entry></stock>' +
  '<pets><entry><key>rex.1</key><value><name>Rex</name><age>3</age></value></entry><entry><key>__proto__</key><value><name>B</name></value></entry></pets>' +
  '<lists><entry><key>a</key><value>x</value><value>y</value></entry><entry><key>b</key></entry></lists>' +
  '<deep><entry><key>m</key><value><entry><key>n</key><value>1.5</value></entry></value></entry></deep>' +
  '<maps><entry><key>k</key><value>v</value></entry></maps><input><item>p</item><item>q</item></input>' +
  '<big>9223372036854775807</big><kind>a</kind><a><x>1</x><b><y>2</y><all><x>3</x></all></b></a>';

describe('what XSD says in another way', () => {
  test.each(['text/xml', 'application/soap+xml'] as const)(
    'is elements in %s, and JSON for the server',
    async (type) => {
      const answer = await soap(`<echo>${elements}</echo>`, type);
      expect(last()?.body).toBe(json);
      expect(answer.text.replace(/<\w+ xsi:nil="true"\/>/g, '')).toContain(`>${elements}</ns1:echoResponse>`);
    },
  );

  test('is JSON by name', async () => {
    const answer = await post(`${callers}/Odd/v1/echo`, 'application/json', json);
    expect([last()?.body, JSON.parse(answer.text)]).toEqual([json, JSON.parse(json)]);
    expect(answer.text).toContain('"big":9223372036854775807');
  });

  test('is pairs in FORM', async () => {
    const pairs =
      'grid.0.item.0=1&grid.1=&stock.0.key=a+b&stock.0.value=3&pets.0.key=z&pets.0.value.name=Rex&lists.0.key=e&input.text=hello&big=-9223372036854775808';
    expect(await post(`${callers}/v1/echo`, form, pairs)).toEqual({ status: 200, text: pairs });
    expect(last()?.body).toBe(
      '{"grid":[[1],[]],"stock":{"a b":3},"pets":{"z":{"name":"Rex"}},"lists":{"e":[]},"input":"hello","big":-9223372036854775808}',
    );
  });

  test('is refused where JSON cannot say it', async () => {
    const before = received.length;
    const entry = '<entry><key>a</key><value>1</value></entry>';
    expect((await soap(`<echo><stock>${entry}${entry}</stock></echo>`)).text).toContain('name stands twice, a');
    expect((await soap('<echo><input><text>a</text><item>b</item></input></echo>')).text).toContain('item');
    const bad = await post(`${callers}/Odd/v1/echo`, 'application/json', '{"grid":[[1,"x"]],"pets":{"a":{"nam":"x"}}}');
    expect(bad.text).toContain('"/grid/0/1"');
    expect(bad.text).toContain('"/pets/a/nam"');
    expect((await soap('<echo><big>9223372036854775808</big></echo>')).text).toContain('big');
    expect(received.length).toBe(before);
  });
});

describe('what is empty', () => {
  const empty = '{"rows":[[]],"notes":[],"order":{"lines":[{}],"gift":{}},"stock":{},"labels":{},"input":[]}';

  test.each([
    '{"rows":[]}',
    '{"rows":[],"order":{"lines":[]}}',
    '{"rows":[],"order":{"lines":[],"gift":{}},"input":{}}',
    empty,
  ])('is what the caller says in JSON: %s', async (sent) => {
    for (const path of ['/v1/table', '/Odd/v1/table', '/Odd/v1/draft']) {
      const answer = await post(`${callers}${path}`, 'application/json', sent);
      expect([path, last()?.body, answer.status]).toEqual([path, sent, 200]);
      // By name, an answer has all lists.
      expect(JSON.parse(answer.text)).toEqual(
        path === '/v1/table' ? JSON.parse(sent) : { id: [], notes: [], ...JSON.parse(sent) },
      );
    }
  });

  test('is what the caller says in FORM', async () => {
    const pairs = 'rows.0=&notes=&order.lines.0=&order.gift=&stock=&labels=&input.item=';
    expect(await post(`${callers}/Odd/v1/table`, form, pairs)).toEqual({ status: 200, text: pairs });
    expect(last()?.body).toBe(empty);
    await post(`${callers}/Odd/v1/table`, form, 'rows=&order.lines=');
    expect(last()?.body).toBe('{"rows":[],"order":{"lines":[]}}');
  });

  test('has a list that must be there, which no element of SOAP says', async () => {
    const answer = await soap('<table><order/></table>');
    expect(last()?.body).toBe('{"rows":[],"order":{"lines":[]}}');
    expect(answer.text).toContain('<order><gift xsi:nil="true"/></order>');
    await soap('<table><order><lines/><gift/></order><stock/><labels/></table>');
    expect(last()?.body).toBe('{"rows":[],"order":{"lines":[{}],"gift":{}},"stock":{},"labels":{}}');
    await soap('<grid/>');
    expect(last()?.body).toBe('[]');
  });

  test('is absent where the caller leaves it out, as is a body that may be', async () => {
    // The server refuses a list that it requires, where it is left out.
    await post(`${callers}/Odd/v1/table`, 'application/json', '{"order":{}}');
    expect(last()?.body).toBe('{"order":{}}');
    await post(`${callers}/Odd/v1/table`, form, 'order=');
    expect(last()?.body).toBe('{"order":{}}');
    await soap('<draft/>');
    expect(last()).toMatchObject({ url: '/v1/draft', body: '' });
  });
});

test('what --save writes serves the same', async () => {
  const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const saving = tempFolder();
  writeFileSync(join(saving.path, 'odd.json'), JSON.stringify(document));
  try {
    await (await serve(['--openapi', 'odd.json', '--upstream', upstream, '--save', '.'], saving.path)).stop();
    const saved = await serve([], saving.path);
    try {
      for (const [name, sent] of [
        ['echo', json],
        ['table', '{"order":{},"stock":{}}'],
      ] as const) {
        const [ours, theirs] = await Promise.all(
          [callers, saved.callers].map((address) => post(`${address}/Odd/v1/${name}`, 'application/json', sent)),
        );
        expect(theirs).toEqual(ours);
      }
    } finally {
      await saved.stop();
    }
  } finally {
    saving.discard();
  }
});

describe('an answer that is none of the document', () => {
  const odd =
    '{"grid":[[1,"x"]],"stock":{"a":"many"},"pets":{"a":{"name":["x"],"age":1},"b":null},"input":7.5,"big":1e400,"kind":"c","more":[null],"a":{"x":"1","b":[]}}';
  const answers = (path: string, headers = {}) =>
    fetch(`${callers}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: odd,
    });

  test('is unchanged for callers of JSON', async () => {
    // What is sent has to fit, so that the answer of an operation without a body is made to be another one.
    const passed = server.listeners('request');
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      request.resume();
      response.setHeader('Content-Type', 'application/json');
      response.end(request.url?.includes('grid') ? '[[1],null,["x"]]' : odd);
    });
    try {
      const call = (path: string, body: string) =>
        post(`${callers}${path}`, 'application/json', body, { 'Idempotency-Key': path });
      expect(await post(`${callers}/v1/echo`, 'application/json', '{}')).toEqual({ status: 200, text: odd });
      expect((await call('/v1/echo', '{"kind":"a"}')).text).toBe(odd);
      // It is sent again from what was stored.
      expect(JSON.parse((await call('/v1/echo', '{"kind":"a"}')).text)).toEqual(JSON.parse(odd));
      const named = await post(`${callers}/Odd/v1/echo`, 'application/json', '{}');
      expect(JSON.parse(named.text)).toMatchObject({ kind: 'c', stock: { a: 'many' }, input: 7.5, more: [null] });
      expect(await call('/v1/grid', '[[2]]')).toEqual({ status: 200, text: '[[1],null,["x"]]' });
      expect(await call('/v1/grid', '[[2]]')).toEqual({ status: 200, text: '[[1],null,["x"]]' });
      // Each value is there, with its place.
      const inSoap = await soap('<echo/>');
      expect(inSoap.status).toBe(200);
      for (const place of ['grid', 'stock', 'input', 'kind', 'more', 'pets'])
        expect(inSoap.text).toMatch(new RegExp(`unknownMembers[\\s\\S]*>${place}<`));
      expect((await post(`${callers}/v1/echo`, form, '')).text).toContain('unknownMembers.');
    } finally {
      server.removeAllListeners('request');
      for (const listener of passed) server.on('request', listener as () => void);
    }
  });

  test('is refused as a request', async () => {
    const before = received.length;
    expect((await answers('/v1/echo')).status).toBe(400);
    expect(received.length).toBe(before);
  });
});

describe('paths and names', () => {
  test.each([
    ['/v1/files/7.json', '<fileJson><id>7</id></fileJson>'],
    ['/v1/files/a%2Fb', '<file><id>a/b</id></file>'],
    ['/v1/range/1-2', '<range><a>1</a><b>2</b></range>'],
    ['/v1/proxy/a', '<proxy><proxy>a</proxy></proxy>'],
    ['/v1/slash/', '<slash/>'],
    ['/v1/slash', '<noSlash/>'],
    ['/v1/Case', '<upperCase/>'],
    ['/v1/case', '<lowerCase/>'],
    ['/v1/same/1', '<sameX><x>1</x></sameX>'],
    ['/v1/same/1', '<sameX2><y>1</y></sameX2>'],
    [
      '/v1/names?__proto__=1&constructor=2',
      '<itSQuoted__proto__><proto__>1</proto__><_constructor>2</_constructor></itSQuoted__proto__>',
    ],
    ['/v1/names', '<itSQuoted__proto__/>'],
  ])('%s', async (path, message) => {
    expect((await fetch(callers + path)).status).toBe(200);
    expect(last()).toMatchObject({ method: 'GET', url: path });
    expect((await soap(message)).status).toBe(200);
    expect(last()).toMatchObject({ method: 'GET', url: path });
  });

  test('a path with a query is called by its name', async () => {
    await soap('<asked><kind>a b</kind></asked>');
    expect(last()?.url).toBe('/v1/asked?fixed=1&kind=a%20b');
  });

  test('what is left out is listed with its place', () => {
    const { stderr } = gateway.received;
    for (const line of [
      'odd.json#/paths/relative: a path begins with a slash',
      'odd.json#/paths/~1verbs/trace: no request is made by TRACE',
      'odd.json#/paths/~1verbs/additionalOperations/COPY: no request is made by COPY',
      'odd.json#/webhooks/news: the server sends a webhook',
      'odd.json#/paths/~1called/post/callbacks/done: the server sends a callback',
      'odd.json#/paths/~1called: servers of one path are not asked',
    ])
      expect(stderr).toContain(line);
  });

  test('the page at the root names the paths', async () => {
    expect(await (await fetch(callers)).text()).toContain(
      `<code>${callers}/v1/...</code>, at the paths of the document`,
    );
  });
});
