/** Tests how a mock converts values of types that others extend. */
import { describe, expect, test } from '@jest/globals';
import { object, oneOf, optional, polymorphic, required, string } from '../../src/core/contract/schema.ts';
import { convertValue } from '../../src/program/testing/mock/convert-value.ts';

const text = string({ max: 40, example: 'text' });
const typeName = (name: string) => required(oneOf(`${name}TypeName`, name), '', { xml: 'type' });
const variant = (name: string, member: string) => object(name, { xsiType: typeName(name), [member]: optional(text) });
const grantee = polymorphic(
  object('Grantee', { xsiType: typeName('Grantee') }),
  [variant('Group', 'uri'), variant('Person', 'mail')],
  {
    abstract: true,
  },
);

describe('a value of an abstract type', () => {
  test('keeps the type that it names, with the members of that', () => {
    const value = { xsiType: 'Person', mail: 'a@b.example' };
    expect(convertValue(value, grantee, grantee)).toEqual(value);
  });

  test('has the first type that extends it where it names none', () => {
    const plain = object('Plain', { uri: optional(text) });
    expect(convertValue({ uri: 'u' }, plain, grantee)).toEqual({ xsiType: 'Group', uri: 'u' });
  });
});
