/** What an answer of another server has beside its contract reaches callers of every format, wherever it is. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { operation } from '../../src/core/contract/operation.ts';
import { decimal, list, object, optional, required, string } from '../../src/core/contract/schema.ts';
import { createProtocols, type ProtocolName } from '../../src/core/formats/wire-formats.ts';
import { madeUpService } from '../support/made-up-service.ts';
import { shownExtras } from '../support/shown-extras.ts';

const text = string({ example: 'a' });
const page = object('Page', { number: required(text, ''), words: optional(list(text, 'word', { max: 9 }), '') });
const book = object('Book', {
  id: required(text, ''),
  price: optional(decimal({ digits: 9, fraction: 2, example: '1' }), ''),
  isbn: optional(text, '', { xml: 'attribute' }),
  page: optional(list(page, 'page', { max: 9, repeated: true }), ''),
});
const find = operation({
  name: 'find',
  doc: '',
  effect: 'reads',
  role: 'r',
  problems: [],
  input: object('Find', {}),
  output: object('Found', {
    count: required(text, ''),
    book: optional(list(book, 'book', { max: 9, repeated: true }), ''),
    note: optional(list(text, 'note', { max: 9, repeated: true }), ''),
  }),
});
const library = madeUpService('Library', find);
const protocols = createProtocols([library]);
const callers = ['json', 'form', 'soap11', 'soap12'] as const;

const value = { count: '1', book: [{ id: 'b', price: '2', isbn: '3', page: [{ number: '4' }] }] };

function read(name: ProtocolName, body: string) {
  const media = { type: protocols[name].mediaType, charset: undefined };
  const answer = protocols[name].decodeAnswer(find, { status: 200, media, headers: {}, body: Buffer.from(body) });
  if ('refusal' in answer) throw new TypeError('a refusal');
  return answer;
}

const envelope = (content: string): string =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Body><findResponse xmlns="urn:library">${content}</findResponse></s:Body></s:Envelope>`;

describe('SOAP', () => {
  const answer = envelope(
    `<count unit="U1">1</count><book isbn="3" lang="U2" xsi:type="Novel" xmlns:x="urn:x" x:rank="U3"><id>b</id><U4/><price currency="U5">2</price>
     <shelf row="U6">U7</shelf><x:shelf>U8<!-- no data --></x:shelf><page><number>4</number><words><word size="U9">w</word></words><sheet><of>U10</of></sheet></page></book><U11 xsi:nil="true"/><note kind="U12">n</note>`,
  );
  const members = [
    { name: 'count.@unit', value: 'U1' },
    { name: 'book.0.@rank', value: 'U3' },
    { name: 'book.0.U4', value: '<U4 xmlns="urn:library"/>' },
    { name: 'book.0.price.@currency', value: 'U5' },
    { name: 'book.0.shelf', value: '<shelf xmlns="urn:library" row="U6">U7</shelf>' },
    { name: 'book.0.shelf', value: '<shelf xmlns="urn:x">U8</shelf>' },
    { name: 'book.0.@lang', value: 'U2' },
    { name: 'book.0.page.0.words.0.@size', value: 'U9' },
    { name: 'book.0.page.0.sheet', value: '<sheet xmlns="urn:library"><of>U10</of></sheet>' },
    { name: 'note.@kind', value: 'U12' },
  ];
  const byName = (each: readonly { readonly name: string; readonly value: string }[]) =>
    each.toSorted((a, b) => (a.name + a.value < b.name + b.value ? -1 : 1));

  test.each(callers)('elements and attributes at any depth, for callers of %s', (caller) => {
    const { value: output, issues, extras } = read('soap11', answer);
    expect([issues, output]).toEqual([
      [],
      { ...value, book: [{ ...value.book[0], page: [{ number: '4', words: ['w'] }] }], note: ['n'] },
    ]);
    expect(byName(shownExtras(protocols, caller, find, output, extras))).toEqual(byName(members));
    // The same answer without them.
    expect(shownExtras(protocols, caller, find, output, undefined)).toEqual([]);
  });

  test('an answer of nothing else', () => {
    const { extras, issues } = read('soap11', envelope('<strange>U</strange>'));
    expect(extras?.members).toEqual([{ name: 'strange', value: '<strange xmlns="urn:library">U</strange>' }]);
    expect(issues).toHaveLength(1);
  });

  test('text between elements keeps its place, and prefixes keep their meaning', () => {
    const strange = '<strange xmlns:q="urn:q" kind="q:k">a<b/>q:c</strange>';
    const { issues, extras } = read('soap11', envelope(`<count>1</count>${strange}`));
    const value = '<strange xmlns="urn:library" xmlns:q="urn:q" kind="q:k">a<b/>q:c</strange>';
    expect([issues, extras?.members]).toEqual([[], [{ name: 'strange', value }]]);
  });
});

describe('JSON', () => {
  const answer =
    '{"count":"1","book":[{"id":"b","price":2,"isbn":"3","page":[{"number":"4","U1":{"U2":[12345678901234567890]}}],"U3":null}],"U4":"a\\u0000<&>\\uffff"}';

  test('members keep their places for callers of JSON', () => {
    const { value: output, extras } = read('json', answer);
    expect(JSON.parse(protocols.json.encode(find, output, extras).body)).toMatchObject(JSON.parse(answer) as object);
  });

  test.each(['form', 'soap11', 'soap12'] as const)('members, for callers of %s', (caller) => {
    const { value: output, extras } = read('json', answer);
    expect(shownExtras(protocols, caller, find, output, extras)).toEqual([
      { name: 'U4', value: 'a\\u0000<&>\\uffff' },
      { name: 'book.0.U3', value: 'null' },
      { name: 'book.0.page.0.U1', value: '{"U2":[12345678901234567890]}' },
    ]);
  });
});

test.each(callers)('pairs of FORM, for callers of %s', (caller) => {
  const { value: output, extras } = read(
    'form',
    'count=1&book.0.id=b&book.0.U1.x=1&book.0.U1.y.z=2&book.0.U1=3&U2=%3C',
  );
  expect(shownExtras(protocols, caller, find, output, extras)).toEqual([
    { name: 'U2', value: '<' },
    { name: 'book.0.U1', value: '3' },
    { name: 'book.0.U1.x', value: '1' },
    { name: 'book.0.U1.y.z', value: '2' },
  ]);
});
