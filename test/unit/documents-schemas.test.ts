/** The derived schemas: the types that callers' stubs know, the lengths behind them, and what xmllint makes of them. */
import { describe, expect, test } from '@jest/globals';
import { XMLParser } from 'fast-xml-parser';
import type { Operation } from '../../src/contract/operation.ts';
import { object, oneOf, optional, required, string, textLengthMax } from '../../src/contract/schema.ts';
import { deriveJsonSchema, deriveXsd } from '../../src/documents/index.ts';
import { lengthsOf } from '../../src/documents/lengths.ts';
import { services } from '../../src/services/index.ts';
import { firstInvalid } from '../support/xmllint.ts';

const service = services[0]!;

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

  /** `number! 4-19`: the name, whether stubs are told it is always there, the lengths or the type. */
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

  test('a card given and a card shown are one type, as stubs know it', () => {
    expect(elementsOf('payment', 'Card')).toEqual([
      'cvc 3-4',
      'expiryMonth! 1-2',
      'expiryYear! 4-4',
      'holderName! 1-50',
      'issueNumber 1-2',
      'number! 4-19',
      'startMonth 1-2',
      'startYear 4-4',
    ]);
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

  test('the map lives with the service and serves the types of payment too', () => {
    expect(elementsOf('payment', 'TokenDetails')).toEqual(['tokenData recurring:anyType2anyTypeMap', 'tokenDataType']);
  });

  test('an enumeration of names is a type, another is text', () => {
    expect(elementsOf('common', 'Name')).toContain('gender common:Gender');
    expect(elementsOf('recurring', 'DisableResult')).toEqual(['response']);
  });

  test('what only one of two shapes of a name has is optional, and both orders are kept', () => {
    const told = { mandatoryInStubs: true } as const;
    const code = (pattern: string) => string({ pattern, example: 'x' });
    const given = object('Thing', { b: required(code('[0-9]{2}'), '', told), d: required(code('x{3}'), '', told) });
    const shown = object('Thing', {
      a: optional(code('x'), ''),
      b: required(code('[0-9]{4,6}'), '', told),
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

  test('a least length counts characters, in the contract as in schemas', () => {
    expect(lengthsOf(string({ min: 3, max: 100, example: '' }))).toEqual({ min: 3, max: 100 });
    const { input } = service.operations.get('storeToken')!;
    const { properties } = JSON.parse(JSON.stringify(deriveJsonSchema(input, 'input')));
    expect(properties.bank.properties.ownerName).toMatchObject({ minLength: 3, maxLength: 100 });
  });
});

const answer = (content: string): string =>
  '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" ' +
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soap:Body>' +
  '<ns1:listRecurringDetailsResponse xmlns:ns1="http://recurring.services.adyen.com"><ns1:result>' +
  `${content}</ns1:result></ns1:listRecurringDetailsResponse></soap:Body></soap:Envelope>`;
const recurring = 'xmlns="http://recurring.services.adyen.com"';
const payment = 'xmlns="http://payment.services.adyen.com"';
const detail = (content: string) =>
  answer(
    `<creationDate ${recurring}>2009-10-27T11:26:22.203+01:00</creationDate>` +
      `<details ${recurring}><RecurringDetail>${content}</RecurringDetail></details>`,
  );
const card = (number: string) =>
  `<card><cvc ${payment} xsi:nil="true"/><expiryMonth ${payment}>12</expiryMonth><expiryYear ${payment}>2012</expiryYear>` +
  `<holderName ${payment}>A. Holder</holderName><number ${payment}>${number}</number></card>`;

describe('xmllint', () => {
  test.each([
    [
      'an unknown shopper, as known clients read it',
      answer(
        `<details ${recurring}/><lastKnownShopperEmail ${recurring} xsi:nil="true"/><shopperReference ${recurring} xsi:nil="true"/>`,
      ),
    ],
    [
      'a captured detail',
      detail(
        '<additionalData><entry><key xsi:type="xsd:string">cardBin</key><value xsi:type="xsd:string">411111</value></entry></additionalData>' +
          `<bank xsi:nil="true"/>${card('1111')}<contractTypes><string>ONECLICK</string></contractTypes>` +
          '<creationDate>2009-10-27T11:26:22.216+01:00</creationDate><elv xsi:nil="true"/><name/>' +
          '<recurringDetailReference>8412564043826158</recurringDetailReference>' +
          `<tokenDetails><tokenData ${payment}><entry ${recurring}><key>a</key><value>b</value></entry></tokenData></tokenDetails>` +
          '<variant>mc</variant>',
      ),
    ],
  ])('takes %s', (_, xml) => {
    expect(firstInvalid(service, [xml])).toBeUndefined();
  });

  test.each([
    ['a number longer than any card', detail(card('1'.repeat(20)))],
    ['a card in the namespace of the detail', detail(`<card><number>1111</number></card>`)],
    ['elements out of order', detail('<variant>mc</variant><alias>A1</alias>')],
    ['an unknown element', detail('<colour>red</colour>')],
  ])('refuses %s', (_, xml) => {
    expect(firstInvalid(service, [xml])).toMatch(/Schemas validity error/);
  });
});
