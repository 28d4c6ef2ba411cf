/** Tests that served documents have the types of version 12, so that code around old stubs compiles with new ones. */
import { describe, expect, test } from '@jest/globals';
import { XMLParser } from 'fast-xml-parser';
import type { Service } from '../../src/core/contract/service.ts';
import { deriveXsd } from '../../src/documents/xsd.ts';
import { recurringV12, recurringV25 } from '../../src/payments/recurring/versions.ts';
import { enumerations, objects, type Prefix } from '../interop/v12-types.ts';
import { type Member, members, v12Wsdl } from '../interop/v12-wsdl.ts';

/** Members of version 12 that later contracts do not have. */
const leftLater: Readonly<Record<string, readonly string[]>> = {
  Card: ['billingAddress'],
  StoreTokenRequest: ['params', 'pspEchoData', 'returnUrl', 'shopperIP', 'shopperStatement'],
  StoreTokenResult: ['additionalData', 'params', 'pspEchoData', 'redirectType', 'redirectUrl'],
};
/** Members whose values have other lengths here. */
const otherLengths = ['cvc'];
const leftTypes = ['StoreAliasRequest', 'StoreAliasResult'];

const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '', parseAttributeValue: false });
type Tree = { readonly [name: string]: Tree & string };
const asList = (value: Tree | readonly Tree[] | undefined): readonly Tree[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as Tree];

type Schemas = ReadonlyMap<string, Tree>;

function schemasOf(service: Service): Schemas {
  return new Map(
    [...deriveXsd(service, (name) => `${name}.xsd`)].map(([prefix, text]) => [
      prefix,
      (parser.parse(text) as Tree)['xsd:schema']!,
    ]),
  );
}

const contracts = [
  { version: 12, schemas: schemasOf(recurringV12), left: {} as typeof leftLater },
  { version: 25, schemas: schemasOf(recurringV25), left: leftLater },
];

function servedMembers(schemas: Schemas, prefix: Prefix, name: string): readonly Member[] {
  const type = asList(schemas.get(prefix)?.['xsd:complexType']).find((each) => each.name === name);
  return asList(type?.['xsd:sequence']?.['xsd:element']).map((element) => {
    const facets = element['xsd:simpleType']?.['xsd:restriction'];
    return {
      name: element.name!,
      type: facets?.base ?? element.type!,
      required: element.minOccurs === '1',
      repeated: element.maxOccurs === 'unbounded',
      lengths: facets && [facets['xsd:minLength']!.value!, facets['xsd:maxLength']!.value!],
    };
  });
}

describe.each(Object.entries(objects))('%s', (prefix, types) => {
  const surviving = Object.entries(types).filter(([name]) => !leftTypes.includes(name));
  const cases = contracts.flatMap(({ version, schemas, left }) =>
    surviving.map(([name, text]) => ({ version, schemas, left, name, text })),
  );
  test.each(cases)('$name has the members of version 12 in version $version', ({ schemas, left, name, text }) => {
    const expected = members(text).filter(({ name: member }) => !left[name]?.includes(member));
    const names = expected.map((member) => member.name);
    const found = servedMembers(schemas, prefix as Prefix, name).filter((member) => names.includes(member.name));
    const withoutLengths = (each: Member) =>
      otherLengths.includes(each.name) ? { ...each, lengths: undefined } : each;
    expect(found.map(withoutLengths)).toEqual(expected.map(withoutLengths));
  });
});

test.each(contracts)('the enumerations are those of version 12 in version $version', ({ schemas }) => {
  const simpleTypes = asList(schemas.get('common')?.['xsd:simpleType']);
  for (const [name, values] of Object.entries(enumerations)) {
    const type = simpleTypes.find((each) => each.name === name);
    const found = asList(type?.['xsd:restriction']?.['xsd:enumeration']).map((each) => each.value);
    expect(found).toEqual(values);
  }
});

test('the document of version 12 names only types that it has', () => {
  const text = v12Wsdl('http://127.0.0.1/');
  const declared = new Set([...text.matchAll(/<xsd:(?:complex|simple)Type name="(\w+)"/g)].map(([, name]) => name));
  const used = [...text.matchAll(/type="(?:recurring|common|payment):(\w+)"/g)].map(([, name]) => name);
  expect(used.filter((name) => !declared.has(name) && name !== 'RecurringPortType')).toEqual([]);
});
