/** Requests at the paths that operations have at their upstreams, which get the query and the body as they were sent. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { operation, type UpstreamBinding } from '../../src/core/contract/operation.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import {
  type Fields,
  integer,
  list,
  map,
  type ObjectSchema,
  object,
  optional,
  required,
  string,
} from '../../src/core/contract/schema.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { bodyMsMax, cpuMs, shortestMs } from '../property/cpu-time.ts';
import { madeUpService } from '../support/made-up-service.ts';

const text = string({ example: 'a' });
const formType = 'application/x-www-form-urlencoded';
const input = object('Pay', {
  amount: optional(integer(0, 100, 1), ''),
  tags: optional(list(text, 'string', { max: 5 }), ''),
  filter: optional(map(5, { state: 'open' }), ''),
  range: optional(object('Range', { price: optional(object('Price', { min: optional(text, '') }), '') }), ''),
});
const deep = { in: 'query', style: 'deepObject' } as const;
const parameters = { tags: { in: 'query' }, filter: deep, range: deep } as const;

function served(upstream: UpstreamBinding, received: ObjectSchema = input) {
  const pay = operation({
    ...{ name: 'pay', doc: '', effect: 'writes', role: 'r', problems: [], input: received, upstream },
    output: object('Paid', { id: optional(text, '') }),
  });
  const service = madeUpService('Shop', pay);
  return { service, pay, rest: createProtocols([service]).rest };
}

function reader(upstream: UpstreamBinding) {
  const { service, pay, rest } = served(upstream);
  return ({ query = '', body = '', cookie = '' }) => {
    const headers = { 'content-type': formType, cookie };
    const decoded = rest.decode(
      Buffer.from(body),
      { type: formType, charset: undefined },
      { service, version: 1, operation: pay },
      { query, headers },
    );
    return [decoded.input, decoded.issues.map(({ kind, path }) => `${kind.code} ${path.join('.')}`)];
  };
}

const atQuery = reader({ method: 'POST', path: '/pay', parameters: { ...parameters, amount: { in: 'query' } } });
const atCookie = reader({ method: 'POST', path: '/pay', parameters: { ...parameters, amount: { in: 'cookie' } } });
const atForm = reader({
  ...{ method: 'POST', path: '/pay', parameters: {} },
  body: { type: formType, parts: { filter: { style: 'deepObject' } } },
});

test('two values of a field that has one are refused: the upstream could read the other one', () => {
  const one = { amount: 1, tags: ['a', 'b'], filter: { x: '1' } };
  const pairs = 'amount=1&tags=a&tags=b&filter[x]=1&more=1&more=2';
  expect(atQuery({ query: pairs })).toEqual([one, []]);
  expect(atForm({ body: pairs })).toEqual([one, []]);
  for (const twice of ['amount=1&amount=1000000', 'amount=1&amount[]=1000000']) {
    expect(atQuery({ query: twice })[1]).toEqual(['702 amount']);
    expect(atForm({ body: twice })[1]).toEqual(['702 amount']);
  }
  expect(atQuery({ query: 'filter[x]=1&filter[x]=2' })[1]).toEqual(['702 filter.x']);
  expect(atQuery({ query: 'range[price][min]=1' })).toEqual([{ range: { price: { min: '1' } } }, []]);
  for (const twice of ['range[price]=5&range[price][min]=1', 'range[price][min]=1&range[price]=5'])
    expect(atQuery({ query: twice })[1]).toEqual(['702 range.price']);
});

test('a name without a value that is no field is refused: it may be the end of a value', () => {
  for (const cut of ['tags=a&Jerry', 'Jerry&tags=a', 'tags=a&%4Aerry&more=1']) {
    expect(atQuery({ query: cut })[1]).toEqual(['702 Jerry']);
    expect(atForm({ body: cut })[1]).toEqual(['702 Jerry']);
  }
  for (const whole of ['tags=a&Jerry=', 'tags=a&&filter', 'tags=a&amp=1'])
    for (const read of [atQuery({ query: whole }), atForm({ body: whole })])
      expect(read).toEqual([expect.objectContaining({ tags: ['a'] }), []]);
});

test('the first of two cookies counts', () => {
  expect(atCookie({ cookie: 'amount=1; amount=2' })).toEqual([{ amount: 1 }, []]);
});

test('brackets without an end take no time', () => {
  const name = '['.repeat(60_000);
  expect(shortestMs(() => atForm({ body: `amount=1&filter${name}=1` }))).toBeLessThan(bodyMsMax);
  const startedAt = cpuMs();
  expect([...name.slice(10_000).matchAll(/\[([^\]]*)\]/g)]).toEqual([]);
  expect(cpuMs() - startedAt).toBeGreaterThan(bodyMsMax);
});

test('a form has as many pairs as a body in JSON has members', () => {
  expect(atForm({ body: `amount=1${'&a='.repeat(1_999)}` })).toEqual([{ amount: 1 }, []]);
  const refused = () => atForm({ body: `amount=1${'&a'.repeat(1_000_000)}` });
  expect(refused).toThrow(Problem);
  expect(refused).toThrow('too many pairs, pair 2001');
});

test.each(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'POST'] as const)(
  'a body that a %s does not have is refused',
  (method) => {
    const at = reader({ method, path: '/pay', parameters: { ...parameters, amount: { in: 'query' } } });
    expect(at({ query: 'amount=1' })).toEqual([{ amount: 1 }, []]);
    const refused = () => at({ query: 'amount=1', body: 'DELETE /admin HTTP/1.1\r\nHost: a\r\n\r\n' });
    expect(refused).toThrow('Problem parsing request: this operation takes no body');
  },
);

describe('headers of answers', () => {
  const declared = { id: 'X-Left' };
  const upstream = { method: 'POST', path: '/pay', parameters: {}, answer: { headers: declared } } as const;
  const { rest, pay } = served(upstream);

  function passed(headers: Readonly<Record<string, string>>, type = 'application/json', status = 200) {
    const media = { type, charset: undefined } as const;
    const reply = { status, media, headers, body: Buffer.from('{}') };
    if (status >= 400)
      return rest.encodeError(new Problem('notFound', undefined, { sent: reply }), {
        requestReference: 'R',
        operation: pay,
      }).headers;
    const answer = rest.decodeAnswer(pay, reply);
    if ('refusal' in answer) throw new Error('refused');
    return rest.encode(pay, answer.value, answer.extras).headers;
  }

  test.each([200, 404])('%i: those of the contract and of the list pass, and no others', (status) => {
    const expected = {
      ...{ 'x-left': '7', vary: 'Accept-Language', 'cache-control': 'public', etag: '"1"', 'retry-after': '3' },
      ...{ 'x-ratelimit-limit': '9', 'ratelimit-policy': '5;w=1', 'x-total-count': '8', link: '</x>; rel="next"' },
    };
    const others = [
      ...['x-accel-redirect', 'x-accel-charset', 'x-sendfile', 'x-sendfile2', 'x-lighttpd-send-file'],
      ...['x-litespeed-location', 'x-envoy-decorator-operation', 'x-reproxy-url', 'x-right', 'set-cookie', 'server'],
      ...['transfer-encoding', 'content-length', 'connection', 'keep-alive', 'x-request-id', 'traceparent', 'refresh'],
    ];
    const all = { ...expected, ...Object.fromEntries(others.map((name) => [name, '1'])) };
    expect(passed(all, 'application/json', status)).toEqual(expected);
  });

  test.each([
    ...['Transfer-Encoding', 'content-length', 'Connection', 'Keep-Alive', 'Proxy-Connection', 'TE', 'Trailer'],
    ...[
      'Upgrade',
      'X-Accel-Redirect',
      'X-Sendfile',
      'x-envoy-upstream',
      'X-Reproxy-URL',
      'constructor',
      'a b',
      'a\r\nb',
    ],
  ])('%j is no field', (header) => {
    const answer = { headers: { id: header } };
    expect(() => served({ ...upstream, answer })).toThrow(`cannot have id in the header ${header} of its answer`);
  });

  test.each([
    ...['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'multipart/x-mixed-replace', ''],
    ...['application/json, text/html'],
  ])('a page in %j runs nothing in a browser', (type) => {
    for (const status of [200, 404]) {
      const { 'content-security-policy': policy } = passed({}, type, status);
      expect(policy).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
      const own = passed({ 'content-security-policy': 'default-src *' }, type, status);
      expect(own['content-security-policy']).toBe(policy);
    }
  });

  test.each(['application/problem+json', 'text/plain', 'application/pdf', 'image/png'])(
    '%s needs no policy',
    (type) => {
      expect(passed({}, type)).toEqual({});
    },
  );
});

test('errors name fields as they were sent', () => {
  const whole = integer(0, 100, 1);
  const item = object('Line', { unitPrice: optional(whole, '', { json: 'unit-price' }) });
  const items = list(item, 'item', { max: 5 });
  const namesFor = (fields: Fields, upstream: UpstreamBinding, query: string, body: string) => {
    const { service, pay, rest } = served(upstream, object('Pay', fields));
    const media = { type: 'application/json', charset: undefined };
    const target = { service, version: 1, operation: pay, parameters: { idInPath: 'a' } };
    const { issues } = rest.decode(Buffer.from(body), media, target, { query, headers: { 'x-trace': 'b' } });
    const problem = new Problem('structure', undefined, { issues });
    const refused = rest.encodeError(problem, { requestReference: 'R', operation: pay, service });
    return JSON.parse(refused.body).invalidFields.map(({ name }: { name: string }) => name);
  };
  const fields = {
    idInPath: required(whole, ''),
    traceId: optional(whole, ''),
    range: optional(object('Range', { from: optional(whole, '') }), ''),
    id: optional(whole, ''),
    petStatus: optional(whole, '', { json: 'pet-status' }),
    lines: optional(items, ''),
  };
  const parameters = {
    idInPath: { in: 'path', name: 'id' },
    traceId: { in: 'header', name: 'X-Trace' },
    range: { in: 'query', style: 'deepObject', name: 'order-range' },
  } as const;
  const body = '{"id":"d","pet-status":"e","lines":[{"unit-price":1},{"unit-price":"f"}]}';
  const bound = { method: 'POST', path: '/pay/{idInPath}', parameters } as const;
  expect(namesFor(fields, bound, 'order-range[from]=c', body)).toEqual([
    ...['id', 'X-Trace', 'order-range.from', 'id', 'pet-status', 'lines.1.unit-price'],
  ]);
  const ofList = {
    method: 'POST',
    path: '/pay',
    parameters: {},
    body: { type: 'application/json', field: 'body' },
  } as const;
  expect(namesFor({ body: optional(items, '') }, ofList, '', '[{"unit-price":1},{"unit-price":"g"}]')).toEqual([
    '1.unit-price',
  ]);
});
