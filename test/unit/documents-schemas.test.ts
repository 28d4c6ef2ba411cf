/** Tests the derived XML schemas: types that two messages share, and the lengths of fields. The committed documents show all others. */
import { describe, expect, test } from '@jest/globals';
import { type Operation, operation } from '../../src/core/contract/operation.ts';
import { list, object, oneOf, optional, required, string, textLengthMax } from '../../src/core/contract/schema.ts';
import { deriveJsonSchema } from '../../src/documents/json-schema.ts';
import { lengthsOf } from '../../src/documents/lengths.ts';
import { deriveXsd } from '../../src/documents/xsd.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { madeUpService } from '../support/made-up-service.ts';

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

test('types of the service keep their names, and those that stubs would confuse with them get others', () => {
  const text = string({ example: 'x' });
  const named = (name: string) => optional(object(name, { code: optional(text, '') }), '');
  const made = madeUpService(
    'Shop',
    operation({
      ...{ name: 'x', doc: '', effect: 'reads', role: 'r', problems: [] },
      input: object('In', {
        itemCode: optional(text, ''),
        error: named('Error'),
        type: named('Type'),
        fault: named('ServiceException'),
        item: named('XItem'),
        list: named('ArrayOfLine'),
        lines: optional(list(object('Line', { a: optional(text, '') }), 'line', { max: 3 }), ''),
        other: named('arrayOfLine'),
        state: optional(oneOf('Line', 'OPEN'), ''),
      }),
      output: object('Out', {}),
    }),
  );
  const names = [
    ...deriveXsd(made, () => undefined)
      .get('s')!
      .matchAll(/<xsd:(?:complex|simple)Type name="(\w+)"/g),
  ];
  const types = names.map(([, name]) => name!);
  expect(types).toEqual(expect.arrayContaining(['Error', 'Type', 'ServiceException', 'ArrayOfLine', 'Line']));
  // The type of a fault, its parts, the list of lines, and an enumeration.
  expect(types).toEqual(expect.arrayContaining(['Error2', 'Type2', 'ServiceException2', 'Line2', 'ArrayOfLine3']));
  // JAXB would make createXItemCode of the element x, and of the type XItem with its member code.
  expect(types).toContain('XItem2');
  expect(new Set(types.map((each) => each.toLowerCase())).size).toBe(types.length);
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
