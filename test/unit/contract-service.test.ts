/** Tests the declarations that a service refuses. */
import { describe, expect, test } from '@jest/globals';
import { type Operation, operation } from '../../src/core/contract/operation.ts';
import { object, optional, string } from '../../src/core/contract/schema.ts';
import { service } from '../../src/core/contract/service.ts';

const text = optional(string({ example: 'x' }), '');
const parts = { name: 'find', doc: '', effect: 'reads', role: 'shop', problems: [] } as const;
const find = operation({ ...parts, input: object('Find', { text }), output: object('Found', {}) });
const made = (each: Operation, namespaces: object = { namespaces: { own: 'shop', uris: { shop: 'urn:shop' } } }) =>
  service({
    ...{ name: 'Shop', version: 1, answers: { from: 1, to: 1 }, address: '/shop', doc: '', roles: ['shop'] },
    ...namespaces,
    operations: [each],
  });

describe('a service', () => {
  test('accepts operations with its roles and namespaces', () => {
    expect(made(find).operations.get('find')).toBe(find);
  });
  test('refuses an operation with an undeclared role', () => {
    expect(() => made({ ...find, role: 'admin' })).toThrow('no role admin');
  });
  test('refuses a schema with an undeclared namespace', () => {
    const inner = object('Inner', { text }, { namespace: 'soap' });
    const input = object('Find', { inner: optional(inner, '') });
    expect(() => made({ ...find, input })).toThrow('no namespace soap');
  });
  test('requires namespaces for a SOAP operation', () => {
    expect(() => made(find, {})).toThrow('needs the namespaces');
  });
  test('refuses two operations with the same name', () => {
    const { operations: _, ...shop } = made(find);
    expect(() => service({ ...shop, operations: [find, find] })).toThrow('two operations have one name');
  });
});

describe('an operation', () => {
  const id = optional(string({ example: 'x' }), '', { in: 'path' });
  const input = object('Find', { id });
  test('without a binding has all of its fields in the body', () => {
    expect(() => operation({ ...parts, input, output: object('Found', {}) })).toThrow('belongs in the body');
  });
  test('has a field for each name in the braces of its path', () => {
    const http = { method: 'GET', path: '/orders/{number}' } as const;
    expect(() => operation({ ...parts, input, output: object('Found', {}), http })).toThrow('differ');
  });
  test.each(['my shop', '-x', 'a=b', ''])('has no grant named %j', (name) => {
    const shop = string({ example: 'x', authorizes: { name, refusal: 'notAllowed' } });
    const named = object('Find', { shop: optional(shop, '') });
    expect(() => operation({ ...parts, input: named, output: object('Found', {}) })).toThrow('is no name of a grant');
  });
});
