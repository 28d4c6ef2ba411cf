/** Answers of other makers' servers: what they write differently keeps its meaning, by the schema. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { type Operation, operation } from '../../src/core/contract/operation.ts';
import { dotted } from '../../src/core/contract/path.ts';
import {
  boolean,
  date,
  dateTime,
  decimal,
  integer,
  list,
  map,
  object,
  oneOf,
  optional,
  required,
  string,
} from '../../src/core/contract/schema.ts';
import { type Service, service } from '../../src/core/contract/service.ts';
import type { Media } from '../../src/core/formats/protocol.ts';
import { createProtocols, type ProtocolName } from '../../src/core/formats/wire-formats.ts';
import { madeUpService } from '../support/made-up-service.ts';
import { shownExtras } from '../support/shown-extras.ts';

const line = object('Line', {
  sku: required(string({ example: '1' }), ''),
  count: optional(integer(0, 1_000_000, 1), ''),
});
const output = object('Found', {
  id: required(string({ example: '1' }), ''),
  total: optional(decimal({ digits: 30, fraction: 8, example: '1' }), ''),
  size: optional(integer(0, 1e15, 1), ''),
  state: optional(oneOf('State', 'open', '1'), ''),
  isNew: optional(boolean(true), ''),
  at: optional(dateTime(0), ''),
  day: optional(date('2026-01-31'), ''),
  lines: optional(list(line, 'Line', { max: 10, wrapped: true }), ''),
  tags: optional(list(string({ example: 'a' }), 'string', { max: 10 }), ''),
  data: optional(map(10, { a: 'b' }), ''),
});
const find = operation({
  name: 'find',
  doc: '',
  effect: 'reads',
  role: 'r',
  input: object('Find', { id: required(string({ example: '1' }), '') }),
  output,
  problems: [],
});
const listAll = operation({
  name: 'listAll',
  doc: '',
  effect: 'reads',
  role: 'r',
  input: object('ListAll', {}),
  output: object('All', { lines: optional(list(line, 'Line', { max: 10 }), '') }),
  problems: [],
});
const shop: Service = madeUpService('Shop', find, listAll);
const protocols = createProtocols([shop]);

const decode = (name: ProtocolName, body: string | Buffer, media: Partial<Media> = {}, asked: Operation = find) => {
  const read = protocols[name].decodeAnswer(asked, {
    status: 200,
    media: { type: '', charset: undefined, ...media },
    headers: {},
    body: Buffer.from(body),
  });
  if ('refusal' in read) throw new TypeError('a refusal');
  return read;
};

const soundValue = (name: ProtocolName, body: string, media?: Partial<Media>): unknown => {
  const { value, issues } = decode(name, body, media);
  expect(issues).toEqual([]);
  return value;
};

describe('JSON', () => {
  test.each([
    ['leading zeros of texts', '{"id":"007"}', { id: '007' }],
    ['a number for a text', '{"id":12345678901234567890}', { id: '12345678901234567890' }],
    [
      'a decimal that a double cannot hold',
      '{"id":"1","total":12345678901234567890.12345678}',
      { id: '1', total: '12345678901234567890.12345678' },
    ],
    ['a decimal with an exponent', '{"id":"1","total":1.5e-7}', { id: '1', total: '0.00000015' }],
    ['a large exponent', '{"id":"1","total":1.25E+3}', { id: '1', total: '1250' }],
    ['a whole number with a fraction of zeros', '{"id":"1","size":100.0}', { id: '1', size: 100 }],
    ['an enumeration as a number', '{"id":"1","state":1}', { id: '1', state: '1' }],
    ['a boolean as a number', '{"id":"1","isNew":0}', { id: '1', isNew: false }],
    ['a boolean as a text', '{"id":"1","isNew":"true"}', { id: '1', isNew: true }],
    ['null and empty lists', '{"id":"1","lines":[],"tags":null,"total":null,"data":{}}', { id: '1' }],
    ['one item for a list', '{"id":"1","tags":"a"}', { id: '1', tags: ['a'] }],
    ['one object for a list', '{"id":"1","lines":{"sku":"a"}}', { id: '1', lines: [{ sku: 'a' }] }],
    ['wrapped items', '{"id":"1","lines":[{"Line":{"sku":"a"}}]}', { id: '1', lines: [{ sku: 'a' }] }],
    [
      'items that are not wrapped',
      '{"id":"1","lines":[{"sku":"a"},{"sku":"b"}]}',
      { id: '1', lines: [{ sku: 'a' }, { sku: 'b' }] },
    ],
    [
      'items below their name',
      '{"id":"1","lines":{"Line":[{"sku":"a"},{"sku":"b"}]}}',
      { id: '1', lines: [{ sku: 'a' }, { sku: 'b' }] },
    ],
    ['one item below its name', '{"id":"1","lines":{"Line":{"sku":"a"}}}', { id: '1', lines: [{ sku: 'a' }] }],
    [
      'a moment with microseconds',
      '{"id":"1","at":"2026-01-31T12:00:00.123456+01:00"}',
      { id: '1', at: Date.parse('2026-01-31T11:00:00.123Z') },
    ],
    ['a day', '{"id":"1","day":"2026-01-31"}', { id: '1', day: '2026-01-31' }],
  ])('%s', (_, body, value) => {
    expect(soundValue('json', body)).toEqual(value);
  });

  test.each([
    ['a required member that is missing', '{"total":1}', 'id'],
    ['null as the answer', 'null', 'id'],
    ['no bytes', '', 'id'],
    ['a text for a number', '{"id":"1","size":"many"}', 'size'],
    ['a fraction of a whole number', '{"id":"1","size":1.5}', 'size'],
    ['a moment without a zone', '{"id":"1","at":"2026-01-31T12:00:00"}', 'at'],
    ['a moment as a number', '{"id":"1","at":1700000000}', 'at'],
    ['an unknown value', '{"id":"1","state":"closed"}', 'state'],
    ['a list of lists', '{"id":"1","lines":[[{"sku":"a"}]]}', 'lines'],
    ['an exponent past every limit', '{"id":"1","total":1e999}', 'total'],
  ])('%s is an issue', (_, body, field) => {
    const { issues } = decode('json', body);
    expect(issues.map(({ path }) => path[0])).toEqual([field]);
  });

  test('members that the contract does not have are named, and pass with their digits', () => {
    const body =
      '{"id":"1","big":12345678901234567890.10,"lines":[{"sku":"a"},{"sku":"b","more":{"__proto__":1e400}}],"none":null}';
    const { value, extras, unknownMembers } = decode('json', body);
    expect(value).toEqual({ id: '1', lines: [{ sku: 'a' }, { sku: 'b' }] });
    expect(unknownMembers).toEqual(['big', 'none', 'lines.more']);
    expect(protocols.json.encode(find, value, extras).body).toBe(
      '{"id":"1","lines":[{"Line":{"sku":"a"}},{"Line":{"sku":"b","more":{"__proto__":1e400}}}],"tags":[],"big":12345678901234567890.10,"none":null}',
    );
    const members = [
      { name: 'big', value: '12345678901234567890.10' },
      { name: 'none', value: 'null' },
      { name: 'lines.1.more', value: '{"__proto__":1e400}' },
    ];
    expect(extras).toMatchObject({ members });
    for (const name of ['soap11', 'soap12', 'form'] as const)
      expect(shownExtras(protocols, name, find, value, extras)).toEqual(members);
  });

  test.each(['json', 'form', 'soap11', 'soap12'] as const)(
    'a list has as many items as the server sent, in %s',
    (name) => {
      const tags = Array.from({ length: 10_001 }, (_, at) => `tag ${at}`);
      const data = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`key${at}`, 'b']));
      const sent = { id: '1', lines: Array.from({ length: 11 }, () => ({ sku: 'a' })), tags, data };
      const { value, issues, unknownMembers } = decode(name, protocols[name].encode(find, sent).body);
      expect([issues, unknownMembers]).toEqual([[], []]);
      expect(value).toEqual(sent);
      // Requests keep the limits of the contract.
      expect(
        protocols[name].decodeResponse(find, protocols[name].encode(find, sent).body).issues.length,
      ).toBeGreaterThan(0);
    },
  );

  test('an object of unknown members alone is absent, and passes', () => {
    const one = object('One', { sku: required(string({ example: '1' }), '') });
    const ask = operation({ ...find, name: 'ask', output: object('Asked', { one: optional(one, '') }) });
    const own = createProtocols([service({ ...shop, operations: [ask] })]).json;
    const media = { type: '', charset: undefined };
    const read = own.decodeAnswer(ask, { status: 200, media, headers: {}, body: Buffer.from('{"one":{"x":1}}') });
    expect(read).toMatchObject({ value: {}, issues: [], unknownMembers: ['one.x'] });
    expect('extras' in read && own.encode(ask, {}, read.extras).body).toBe('{"one":{"x":1}}');
  });

  test('an array is the only list', () => {
    expect(decode('json', '[{"sku":"a"}]', {}, listAll).value).toEqual({ lines: [{ sku: 'a' }] });
    expect(decode('json', '[{"id":"1"}]').issues).not.toEqual([]);
  });

  test('what is no JSON is refused', () => {
    expect(() => decode('json', '<html/>')).toThrow('not JSON');
    expect(() => decode('json', '{"id":"1","id":"2"}')).toThrow('duplicate key');
    expect(() => decode('json', Buffer.from([0x22, 0xff, 0x22]))).toThrow('not UTF-8');
  });
});

const soap11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const soap12 = 'http://www.w3.org/2003/05/soap-envelope';
const xsi = 'http://www.w3.org/2001/XMLSchema-instance';
const envelope = (message: string, uri = soap11): string =>
  `<S:Envelope xmlns:S="${uri}" xmlns:xsi="${xsi}"><S:Header><h xmlns="urn:h" S:mustUnderstand="1"/></S:Header><S:Body>${message}</S:Body></S:Envelope>`;

describe('SOAP', () => {
  test.each([
    ['other prefixes', '<q:findResponse xmlns:q="urn:shop"><q:id>007</q:id></q:findResponse>', { id: '007' }],
    ['no namespace', '<findResponse><id>1</id></findResponse>', { id: '1' }],
    [
      'members in another namespace',
      '<a:findResponse xmlns:a="urn:shop"><b:id xmlns:b="urn:other">1</b:id></a:findResponse>',
      { id: '1' },
    ],
    ['a holder', '<findResponse xmlns="urn:shop"><return><id>1</id></return></findResponse>', { id: '1' }],
    ['nil and empty members', '<findResponse><id>1</id><total xsi:nil="true"/><lines/></findResponse>', { id: '1' }],
    [
      'one item',
      '<findResponse><id>1</id><lines><Line><sku>a</sku></Line></lines></findResponse>',
      { id: '1', lines: [{ sku: 'a' }] },
    ],
    [
      'items of another name',
      '<findResponse><id>1</id><lines><item><sku>a</sku></item><item><sku>b</sku></item></lines></findResponse>',
      { id: '1', lines: [{ sku: 'a' }, { sku: 'b' }] },
    ],
    [
      'types of other names',
      '<findResponse xsi:type="x:Foo"><id xsi:type="x:Id">1</id><size xsi:type="x:long">7</size></findResponse>',
      { id: '1', size: 7 },
    ],
    [
      'a moment and a day with a zone',
      '<findResponse><id>1</id><at>2026-01-31T12:00:00.1234567Z</at><day>2026-01-31Z</day></findResponse>',
      { id: '1', at: Date.parse('2026-01-31T12:00:00.123Z'), day: '2026-01-31' },
    ],
    ['unknown members, repeated', '<findResponse><id>1</id><x>1</x><x>2</x></findResponse>', { id: '1' }],
  ])('%s', (_, message, value) => {
    for (const name of ['soap11', 'soap12'] as const)
      for (const uri of [soap11, soap12]) expect(soundValue(name, envelope(message, uri))).toEqual(value);
  });

  test('references of an encoded answer', () => {
    const message = '<findResponse><id href="#a"/></findResponse><multiRef id="a">1</multiRef>';
    expect(soundValue('soap11', envelope(message))).toEqual({ id: '1' });
  });

  test('charsets and layout before the declaration', () => {
    const text = `<?xml version="1.0" encoding="ISO-8859-1"?>${envelope('<findResponse><id>é</id></findResponse>')}`;
    expect(decode('soap11', Buffer.from(text, 'latin1')).value).toEqual({ id: 'é' });
    expect(decode('soap11', Buffer.from(`\r\n ${text}`, 'latin1'), { charset: 'iso-8859-1' }).value).toEqual({
      id: 'é',
    });
    expect(decode('soap11', Buffer.from(`\ufeff${text}`, 'utf16le'), { charset: 'utf-16' }).value).toEqual({ id: 'é' });
  });

  test.each([
    ['a member that stands twice', '<findResponse><id>1</id><id>2</id></findResponse>'],
    ['nil with content', '<findResponse><id xsi:nil="true">1</id></findResponse>'],
  ])('%s is refused', (_, message) => {
    expect(() => decode('soap11', envelope(message))).toThrow('Problem parsing request');
  });

  test.each([
    [
      'items of two names',
      '<findResponse><id>1</id><lines><Line><sku>a</sku></Line><Row><sku>b</sku></Row></lines></findResponse>',
    ],
    ['text between members', '<findResponse>x<id>1</id></findResponse>'],
    ['no members', '<findResponse/>'],
  ])('%s is an issue', (_, message) => {
    expect(decode('soap11', envelope(message)).issues).toHaveLength(1);
  });

  test.each([['<html/>'], ['{"id":"1"}'], [''], ['<!DOCTYPE x><x/>']])('%s is refused', (body) => {
    expect(() => decode('soap11', body)).toThrow();
  });
});

describe('FORM', () => {
  test('pairs with unknown ones', () => {
    expect(decode('form', 'id=007&lines.0.sku=a+b&x=1&data.a.b=c\r\n')).toEqual({
      value: { id: '007', lines: [{ sku: 'a b' }], data: { 'a.b': 'c' } },
      issues: [],
      unknownMembers: ['x'],
      extras: { members: [{ name: 'x', value: '1' }] },
    });
  });
});

test('a key stands in the place of the body that a format has', () => {
  const bodyOf = (name: ProtocolName) => protocols[name].encodeRequest(shop, find, { id: '1' }, 'k<1').body;
  expect(bodyOf('form')).toBe('id=1&idempotencyKey=k%3C1');
  expect(bodyOf('soap11')).toContain(
    '<soap:Header><wsa:MessageID xmlns:wsa="http://www.w3.org/2005/08/addressing">k&lt;1</wsa:MessageID></soap:Header><soap:Body>',
  );
  expect(bodyOf('json')).toBe('{"id":"1"}');
});

test('members with another name in JSON', () => {
  const item = object('Item', { sku: required(string({ example: '1' }), '', { json: 'product' }) });
  const ask = operation({
    ...find,
    name: 'ask',
    input: object('Asked', { Items: optional(list(item, 'Item', { max: 3 }), '', { json: 'items' }) }),
    output: object('Answered', { Items: optional(list(item, 'Item', { max: 3 }), '', { json: 'items' }) }),
  });
  const own = createProtocols([service({ ...shop, operations: [ask] })]).json;
  const media = { type: '', charset: undefined };
  const reply = (body: string) => ({ status: 200, media, headers: {}, body: Buffer.from(body) });
  const text = '{"items":[{"product":"a"},{"product":"b","sku":1}]}';
  const read = own.decodeAnswer(ask, reply(text));
  expect(read).toMatchObject({ value: { Items: [{ sku: 'a' }, { sku: 'b' }] }, unknownMembers: ['Items.sku'] });
  expect('extras' in read && own.encode(ask, read.value, read.extras).body).toBe(text);
  expect(own.decodeAnswer(ask, reply('[{"product":"a"}]'))).toMatchObject({ value: { Items: [{ sku: 'a' }] } });
  const refused = own.decodeError(reply('{"message":"no","errors":[{"field":"items[1].product","message":"?"}]}'), ask);
  expect(refused?.issues.map(({ path }) => dotted(path))).toEqual(['Items.1.sku']);
});
