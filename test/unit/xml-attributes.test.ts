/** Tests fields that are XML attributes: how SOAP reads, prints, refuses and declares them. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { operation } from '../../src/core/contract/operation.ts';
import { issue, Problem } from '../../src/core/contract/problem.ts';
import { type Field, integer, list, map, object, optional, required, string } from '../../src/core/contract/schema.ts';
import { service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { deriveXsd } from '../../src/documents/xsd.ts';

const attribute = { xml: 'attribute' } as const;
const text = string({ max: 20, example: 'a' });
const item = object('Item', {
  id: required(text, 'The id.', attribute),
  count: optional(integer(1, 9, 1), '', attribute),
  text: optional(text, ''),
});
const store = operation({
  name: 'store',
  doc: '',
  effect: 'writes',
  role: 'r',
  problems: [],
  input: object('In', { items: optional(list(item, 'item', { max: 3 }), '') }),
  output: object('Out', { item: optional(item, ''), plain: optional(text, '') }),
});
const things = service({
  name: 'Things',
  version: 1,
  answers: { from: 1, to: 1 },
  doc: '',
  address: '/things',
  namespaces: { own: 't', uris: { t: 'urn:t' } },
  roles: ['r'],
  operations: [store],
});
const { soap11 } = createProtocols([things]);

const decode = (items: string, siblings = '') => {
  const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><e:Body><store xmlns="urn:t"><request><items>${items}</items></request></store>${siblings}</e:Body></e:Envelope>`;
  const target = { service: things, version: 1, operation: undefined };
  const head = { query: '', headers: {} };
  const { input, issues } = soap11.decode(Buffer.from(body), { type: 'text/xml', charset: undefined }, target, head);
  return { input, issues: issues.map(({ path, message }) => [path.at(-1), message]) };
};

describe('a request', () => {
  test.each([
    ['<item id="7" count="2"><text>x</text></item>', { id: '7', count: 2, text: 'x' }],
    [`<item count=' 2 ' id='7'/>`, { id: '7', count: 2 }],
    ['<item id="a&#10;b&amp;c" count=""/>', { id: 'a\nb&c' }],
    ['<item id="7" i:type="Item" href="no-reference"><text>x</text></item>', { id: '7', text: 'x' }],
    ['<item id="7" strange=""/>', { id: '7' }],
  ])('%s', (xml, value) => expect(decode(xml)).toEqual({ input: { items: [value] }, issues: [] }));

  test.each([
    ['an unknown attribute', '<item id="7" strange="x"/>', '@strange'],
    ['an element in its place', '<item><id>7</id></item>', 'id'],
    ['an attribute in the place of an element', '<item id="7" text="x"/>', '@text'],
    ['a wrong value', '<item id="7" count="x"/>', 'count'],
    ['no attribute', '<item><text>x</text></item>', 'id'],
  ])('%s is refused', (_, xml, step) => expect(decode(xml).issues).toEqual([[step, expect.stringContaining(step)]]));

  test('an attribute and an element of one name are refused', () =>
    expect(() => decode('<item id="7"><id>8</id></item>')).toThrow('name stands twice'));

  test('the id of an encoded element is no field', () => {
    const { issues } = decode('<item href="#i1"/>', '<multiRef id="i1"><text xmlns="urn:t">x</text></multiRef>');
    expect(issues).toEqual([['id', expect.any(String)]]);
  });
});

test('a refusal names an attribute as XPath does', () => {
  const path = ['items', { index: 0, itemName: 'item', wrapped: false }];
  const problem = Problem.of([issue(['items'], 'invalidField', 'items'), issue([...path, 'count'], 'invalidField')]);
  const { body } = soap11.encodeError(problem, { requestReference: 'X', operation: store });
  expect(body).toContain('/Envelope/Body/store/request/items/item[1]/@count');
});

test('an answer has them before its elements, and no nil element without those that are required', () => {
  const { body } = soap11.encode(store, { item: { id: `"<\t\n&'`, text: 'x' } });
  expect(body).toContain(
    `<ns1:result><item id="&quot;&lt;&#9;&#10;&amp;'"><text>x</text></item><plain xsi:nil="true"/></ns1:result>`,
  );
  expect(soap11.encode(store, {}).body).toContain('<ns1:result><plain xsi:nil="true"/></ns1:result>');
  expect(soap11.decodeResponse(store, body).value).toEqual({ item: { id: `"<\t\n&'`, text: 'x' } });
});

test('the schema declares them unqualified', () => {
  const xsd = deriveXsd(things, () => undefined).get('t')!;
  expect(xsd).toMatch(/<xsd:attribute form="unqualified" name="id" type="xsd:string" use="required">/);
  expect(xsd).toMatch(/<xsd:attribute form="unqualified" name="count" type="xsd:int" use="optional"/);
  expect(xsd).not.toContain('<xsd:element minOccurs="0" name="id"');
});

describe('a contract', () => {
  test.each<[string, Field]>([
    ['list', optional(list(text, 'x', { max: 1 }), '', attribute)],
    ['map', optional(map(1, { a: 'b' }), '', attribute)],
    ['object', optional(object('O', {}), '', attribute)],
  ])('a %s cannot be an attribute', (kind, field) => expect(() => object('A', { a: field })).toThrow(kind));

  test('one name is an attribute or an element, in all schemas of a type', () => {
    const other = object('Item', { id: optional(text, '') });
    const mixed = operation({ ...store, input: object('In', { item: optional(other, '') }) });
    expect(() => deriveXsd({ ...things, operations: new Map([['store', mixed]]) }, () => undefined)).toThrow(
      'id is an attribute',
    );
  });
});
