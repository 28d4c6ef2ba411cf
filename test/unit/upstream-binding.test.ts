/** The method and path that an operation has at an upstream. */
import { describe, expect, test } from '@jest/globals';
import { operation, type UpstreamBinding } from '../../src/core/contract/operation.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import {
  dateTime,
  integer,
  joined,
  list,
  type ObjectSchema,
  object,
  oneOf,
  optional,
  required,
  string,
} from '../../src/core/contract/schema.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { madeUpService } from '../support/made-up-service.ts';

const text = string({ example: 'a' });
const input = object('Find', {
  id: required(text, ''),
  at: optional(dateTime(0), ''),
  limit: optional(integer(0, 100, 1), '', { json: 'max' }),
  states: optional(joined(oneOf('State', 'open', 'closed')), ''),
  tags: optional(list(text, 'string', { max: 5 }), ''),
});
const declare = (upstream: UpstreamBinding, fields: ObjectSchema = input) =>
  operation({
    name: 'find',
    doc: '',
    effect: 'reads',
    role: 'r',
    input: fields,
    output: object('Found', { id: optional(text, '') }),
    problems: [],
    upstream,
  });

const call = (upstream: UpstreamBinding, value: unknown) => {
  const find = declare(upstream);
  const shop = madeUpService('Shop', find);
  const { method, path, body } = createProtocols([shop]).rest.encodeRequest(shop, find, value);
  return { method, path, body };
};

test('a GET has the other fields in its query', () => {
  const value = { id: 'a b/ü', at: 0, limit: 5, states: ['open', 'closed'], tags: ['x&y', 'z'] };
  expect(call({ method: 'GET', path: '/orders/{id}' }, value)).toEqual({
    method: 'GET',
    path: '/orders/a%20b%2F%C3%BC?at=1970-01-01T00%3A00%3A00Z&max=5&states=open%2Cclosed&tags=x%26y&tags=z',
    body: '',
  });
  expect(call({ method: 'DELETE', path: '/orders/{id}' }, { id: '1' })).toEqual({
    method: 'DELETE',
    path: '/orders/1',
    body: '',
  });
});

test('other methods have them in a body of JSON', () => {
  for (const method of ['POST', 'PUT', 'PATCH'] as const)
    expect(call({ method, path: '/orders/{id}/lines' }, { id: '1', limit: 5, tags: ['x'] })).toEqual({
      method,
      path: '/orders/1/lines',
      body: '{"max":5,"tags":["x"]}',
    });
});

describe('a value never changes the path', () => {
  const binding: UpstreamBinding = { method: 'GET', path: '/orders/{id}/lines' };

  test.each([
    ['?x=1#y', '/orders/%3Fx%3D1%23y/lines'],
    ['%2e%2e', '/orders/%252e%252e/lines'],
    ["!*'()", '/orders/%21%2A%27%28%29/lines'],
    ['a..b/..c', '/orders/a..b%2F..c/lines'],
    ['...', '/orders/.../lines'],
  ])('%s', (id, path) => {
    expect(call(binding, { id }).path).toBe(path);
    const base = 'http://upstream.example';
    expect(new URL(path, base).pathname).toBe(path);
  });

  test.each([['.'], ['..']])('%s is refused', (id) => {
    expect(() => call(binding, { id })).toThrow(Problem);
    expect(call({ method: 'GET', path: '/orders/{id}.json' }, { id }).path).toBe(`/orders/${id}.json`);
  });

  test.each([['../x'], ['../..'], ['a/../../b'], ['a/.'], ['\\..\\']])('%s is refused in every place', (id) => {
    expect(() => call(binding, { id })).toThrow(Problem);
    expect(() => call({ method: 'GET', path: '/orders/{id}.json' }, { id })).toThrow(Problem);
  });

  test('the control: a URL parser removes what is refused', () => {
    expect(new URL('/orders/../lines', 'http://upstream.example').pathname).toBe('/lines');
    expect(new URL('/orders/%2e%2E/lines', 'http://upstream.example').pathname).toBe('/lines');
    expect(new URL(decodeURIComponent('/orders/a%2F..%2F..%2Fb'), 'http://upstream.example').pathname).toBe('/b');
  });
});

test.each<[string, UpstreamBinding, string]>([
  ['a field that is none', { method: 'GET', path: '/{no}' }, 'names no, which is no field'],
  ['an optional field', { method: 'GET', path: '/{limit}' }, 'names limit, which is no required scalar'],
  ['a field twice', { method: 'GET', path: '/{id}/{id}' }, 'has a field twice'],
  ['no slash', { method: 'GET', path: 'orders' }, 'is no path of an upstream'],
  ['a dot segment', { method: 'GET', path: '/orders/../{id}' }, 'is no path of an upstream'],
  ['an encoded dot segment', { method: 'GET', path: '/orders/%2e%2e/{id}' }, 'is no path of an upstream'],
])('%s is refused at declaration', (_, upstream, message) => {
  expect(() => declare(upstream)).toThrow(message);
});

test('a query has no object', () => {
  const nested = object('Find', { id: required(text, ''), more: optional(object('More', {}), '') });
  expect(() => declare({ method: 'GET', path: '/{id}' }, nested)).toThrow('cannot have more in its query');
  expect(() => declare({ method: 'POST', path: '/{id}' }, nested)).not.toThrow();
});
