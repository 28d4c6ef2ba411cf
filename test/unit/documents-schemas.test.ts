/** Tests the derived XML schemas: types that two messages share, and the lengths of fields. The committed documents show all others. */
import { describe, expect, test } from '@jest/globals';
import type { Operation } from '../../src/contract/operation.ts';
import { object, oneOf, optional, required, string, textLengthMax } from '../../src/contract/schema.ts';
import { deriveJsonSchema, deriveXsd } from '../../src/documents/index.ts';
import { lengthsOf } from '../../src/documents/lengths.ts';
import { recurringV25 } from '../../src/services/recurring/versions.ts';

const service = recurringV25;

test('a field of only one of two schemas with the same name is optional, and both orders are preserved', () => {
  const mandatory = { mandatoryInStubs: true, lengthsInStubs: true } as const;
  const code = (pattern: string) => string({ pattern, example: 'x' });
  const given = object('Thing', {
    b: required(code('[0-9]{2}'), '', mandatory),
    d: required(code('x{3}'), '', mandatory),
  });
  const shown = object('Thing', {
    a: optional(code('x'), ''),
    b: required(code('[0-9]{4,6}'), '', mandatory),
    c: optional(oneOf('Side', 'LEFT'), ''),
  });
  const disable = service.operations.get('disable')!;
  const made = {
    ...disable,
    input: object('In', { it: optional(given, '') }),
    output: object('Out', { it: optional(shown, '') }),
  };
  const text = deriveXsd({ ...service, operations: new Map([['disable', made as Operation]]) }, () => undefined);
  const elements = [...text.get('recurring')!.matchAll(/<xsd:element minOccurs="(\d)" name="([a-d])"/g)];
  expect(elements.map(([, occurs, name]) => `${name}${occurs}`)).toEqual(['a0', 'b1', 'c0', 'd0']);
  expect(text.get('recurring')).toMatch(
    /name="b">\s*<xsd:simpleType>\s*<xsd:restriction base="xsd:string">\s*<xsd:minLength value="2"\/>\s*<xsd:maxLength value="6"\/>/,
  );
});

test('a field has a description where its contract has one, and may be empty where that says so', () => {
  const text = string({ max: 9, example: 'x' });
  const schema = object('In', {
    a: required(text, 'What it is.'),
    b: required(string({ max: 9, emptyString: 'present', example: 'x' }), ''),
  });
  const { properties } = JSON.parse(JSON.stringify(deriveJsonSchema(schema, 'input')));
  expect(properties).toEqual({
    a: { type: 'string', minLength: 1, maxLength: 9, examples: ['x'], description: 'What it is.' },
    b: { type: 'string', maxLength: 9, examples: ['x'] },
  });
});

describe('lengths', () => {
  test.each([
    ['[0-9]{12,19}', 12, 19],
    ['0?[1-9]|1[0-2]', 1, 2],
    ['[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?', 8, 11],
    ['.*[A-Za-z].*', 1, textLengthMax],
    ['(?:ab|c){2,}', 2, textLengthMax],
    ['a\\{2\\}[|\\]]', 5, 5],
    ['(a?){3}', 0, 3],
  ])('%s takes %d to %s characters', (pattern, min, max) => {
    expect(lengthsOf(string({ pattern, example: '' }))).toEqual({ min, max });
  });

  test('a minimum length counts characters, in the contract as in schemas', () => {
    expect(lengthsOf(string({ min: 3, max: 100, example: '' }))).toEqual({ min: 3, max: 100 });
    const { input } = service.operations.get('storeToken')!;
    const { properties } = JSON.parse(JSON.stringify(deriveJsonSchema(input, 'input')));
    expect(properties.bank.properties.ownerName).toMatchObject({ minLength: 3, maxLength: 100 });
  });
});
