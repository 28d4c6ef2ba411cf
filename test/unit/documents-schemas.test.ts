/** Tests the derived XML schemas: the types of callers' stubs and the lengths of their fields. */
import { describe, expect, test } from '@jest/globals';
import { XMLParser } from 'fast-xml-parser';
import type { Operation } from '../../src/contract/operation.ts';
import { object, oneOf, optional, required, string, textLengthMax } from '../../src/contract/schema.ts';
import { deriveJsonSchema, deriveXsd } from '../../src/documents/index.ts';
import { lengthsOf } from '../../src/documents/lengths.ts';
import { recurringV25 } from '../../src/services/recurring/versions.ts';

const service = recurringV25;

const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '@', parseTagValue: false });
const asList = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as T];

type Tree = { readonly [name: string]: Tree & string };

describe('the schemas', () => {
  const schemas = new Map(
    [...deriveXsd(service, (name) => `${name}.xsd`)].map(([name, text]) => [
      name as string,
      (parser.parse(text) as Tree)['xsd:schema']!,
    ]),
  );

  /** `number! 4-19`: the name, `!` where stubs require it, the lengths or the type. */
  const elementsOf = (namespace: string, name: string): readonly string[] => {
    const type = asList(schemas.get(namespace)!['xsd:complexType']).find((each) => each['@name'] === name)!;
    return asList(type['xsd:sequence']!['xsd:element']).map((each) => {
      const facets = each['xsd:simpleType']?.['xsd:restriction'];
      const kind = facets
        ? `${facets['xsd:minLength']!['@value']}-${facets['xsd:maxLength']!['@value']}`
        : each['@type']!.replace('xsd:string', '');
      const always = each['@minOccurs'] === '1' && each['@nillable'] === undefined;
      return `${each['@name']}${always ? '!' : ''} ${kind}`.trim();
    });
  };

  test('input and output cards are one type, for compatibility with stubs', () => {
    expect(elementsOf('payment', 'Card')).toEqual([
      'cvc 1-20',
      'expiryMonth! 1-2',
      'expiryYear! 4-4',
      'holderName! 1-50',
      'issueNumber 1-2',
      'number! 4-19',
      'startMonth 1-2',
      'startYear 4-4',
    ]);
  });

  test('stubs require the merchant account where those of version 12 do', () => {
    expect(elementsOf('recurring', 'ScheduleAccountUpdaterRequest')).toContain('merchantAccount!');
    expect(elementsOf('recurring', 'TokenLookupRequest')).toContain('merchantAccount');
  });

  test('a detail has its elements in the order of the interface', () => {
    expect(elementsOf('recurring', 'RecurringDetail')).toEqual([
      'acquirer',
      'acquirerAccount',
      'additionalData recurring:anyType2anyTypeMap',
      'alias',
      'aliasType',
      'bank payment:BankAccount',
      'billingAddress common:Address',
      'card payment:Card',
      'contractTypes recurring:ArrayOfString',
      'creationDate xsd:dateTime',
      'elv payment:ELV',
      'firstPspReference',
      'name',
      'paymentMethodVariant',
      'recurringDetailReference',
      'shopperName common:Name',
      'socialSecurityNumber',
      'tokenDetails payment:TokenDetails',
      'variant',
    ]);
  });

  test('the map type is in the namespace of the service and also used by payment types', () => {
    expect(elementsOf('payment', 'TokenDetails')).toEqual(['tokenData recurring:anyType2anyTypeMap', 'tokenDataType']);
  });

  test('an enumeration of names is a type, other enumerations are text', () => {
    expect(elementsOf('common', 'Name')).toContain('gender common:Gender');
    expect(elementsOf('recurring', 'DisableResult')).toEqual(['response']);
  });

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
