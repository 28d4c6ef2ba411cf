/** What XML has and lists do not say: the order of mixed elements, text between them, namespaces of names, and nil items. */
import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { operation } from '../../src/core/contract/operation.ts';
import { object, optional, string } from '../../src/core/contract/schema.ts';
import { service as declare } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import { deriveOpenApi } from '../../src/documents/openapi.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { outcomeOf } from '../support/exchange.ts';
import { importWsdl } from '../support/import-wsdl.ts';

const { service } = await importWsdl(join(import.meta.dirname, '../wsdl/letters.wsdl'), { allowNetwork: false });
const protocols = createProtocols([service]);
const routes = compileRoutes([service]);
const [send] = [...service.operations.values()];

const envelope = (content: string): string =>
  `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:l="urn:letters" xmlns:p="urn:post" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><e:Body>${content}</e:Body></e:Envelope>`;

/** A letter as SOAP callers send it, to servers of JSON and FORM. */
function read(content: string) {
  const call = protocols.soap11.encodeRequest(service, send!, {});
  const target = { service, version: 1, operation: send };
  const body = Buffer.from(envelope(`<l:Send>${content}<l:Inner><l:Id>1</l:Id></l:Inner></l:Send>`));
  const head = { query: '', headers: { soapaction: '"urn:send"' } };
  const { input, issues } = protocols.soap11.decode(body, { type: 'text/xml', charset: undefined }, target, head);
  expect(issues).toEqual([]);
  const json = JSON.parse(protocols.json.encodeRequest(service, send!, input).body) as Record<string, unknown>;
  const form = protocols.form.encodeRequest(service, send!, input).body.replace(/&?Inner\.Id=1|^xsiType=Letter&?/g, '');
  const { Inner: _, xsiType: __, ...shown } = json;
  return { json: shown, form, soap: protocols.soap11.encodeRequest(service, send!, input).body, call };
}

test('the order of mixed elements stands beside their lists', () => {
  const { json, form } = read(
    '<l:Blocks><l:Title>T</l:Title><l:Line>a</l:Line><l:Rule>1</l:Rule><l:Line>b</l:Line></l:Blocks>',
  );
  const order = ['Line', 'Rule', 'Line'];
  expect(json).toEqual({ Blocks: { Title: 'T', Line: ['a', 'b'], Rule: [1], order } });
  expect(form).toContain('Blocks.order.0=Line&Blocks.order.1=Rule&Blocks.order.2=Line');
});

test('elements in the order of the contract need none', () => {
  const { json } = read(
    '<l:Blocks><l:Title>T</l:Title><l:Line>a</l:Line><l:Line>b</l:Line><l:Rule>1</l:Rule></l:Blocks>',
  );
  expect(json).toEqual({ Blocks: { Title: 'T', Line: ['a', 'b'], Rule: [1] } });
});

test.each([
  ['says it', ['Rule', 'Line'], '<Title>T</Title><Rule>1</Rule><Line>a</Line><Line>b</Line>'],
  ['says a part of it', ['Line', 'Rule'], '<Title>T</Title><Line>a</Line><Rule>1</Rule><Line>b</Line>'],
  ['says nothing', undefined, '<Title>T</Title><Line>a</Line><Line>b</Line><Rule>1</Rule>'],
  ['names more than there is', ['Rule', 'Rule', 'Line'], '<Title>T</Title><Rule>1</Rule><Line>a</Line><Line>b</Line>'],
])('a request whose order %s', (_, order, expected) => {
  const input = { Inner: { Id: '1' }, Blocks: { Title: 'T', Line: ['a', 'b'], Rule: [1], order } };
  expect(protocols.soap11.encodeRequest(service, send!, input).body).toContain(`<Blocks>${expected}</Blocks>`);
});

test('an order with another name is refused', () => {
  const { body: _, ...call } = protocols.json.encodeRequest(service, send!, {});
  const body = JSON.stringify({ Inner: { Id: '1' }, Blocks: { Title: 'T', order: ['Title'] } });
  expect(outcomeOf(protocols, 'json', { ...call, body }, routes)).toMatchObject({
    issues: [['Blocks.order.0', 'invalidField', expect.any(String)]],
  });
});

test('text between elements keeps its place', () => {
  const { json, soap } = read('<l:Rich lang="en">Dear <l:b>Ann</l:b>, see <l:i>there</l:i> &amp; here</l:Rich>');
  const text = ['Dear ', ', see ', ' & here'];
  expect(json).toEqual({
    Rich: { text, b: ['Ann'], i: [{ text: ['there'] }], lang: 'en', order: ['text', 'b', 'text', 'i', 'text'] },
  });
  expect(soap).toContain('<Rich lang="en">Dear <b>Ann</b>, see <i>there</i> &amp; here</Rich>');
});

test('a name has its namespace', () => {
  const { json, form, soap } = read(
    '<l:Code>p:paid</l:Code><l:Code xmlns="urn:other">open</l:Code><l:Named of="p:x">p:y</l:Named>',
  );
  expect(json).toEqual({
    Code: ['{urn:post}paid', '{urn:other}open'],
    Named: { value: '{urn:post}y', of: '{urn:post}x' },
  });
  expect(form).toContain('Code.0=%7Burn%3Apost%7Dpaid');
  expect(soap).toContain('<Code xmlns:q="urn:post">q:paid</Code>');
  expect(soap).toContain('<Named xmlns:q0="urn:post" of="q0:x" xmlns:q="urn:post">q:y</Named>');
});

test('a name with an undeclared prefix, or without one, is as it was', () => {
  expect(read('<l:Code>none:paid</l:Code><l:Code>paid</l:Code>').json).toEqual({ Code: ['none:paid', 'paid'] });
});

test('prefixes stay declared in XML as text', () => {
  const { json } = read('<l:Data><x of="p:y">p:z</x></l:Data>');
  expect(json).toEqual({ Data: '<Data><x xmlns="" xmlns:p="urn:post" of="p:y">p:z</x></Data>' });
});

test('nil items are null, and a nil item with attributes is refused', () => {
  const nil = 'xsi:nil="true"';
  const { json, form, soap } = read(
    `<l:Words><l:Word>a</l:Word><l:Word ${nil}/></l:Words><l:Score ${nil}/><l:Score>1</l:Score>`,
  );
  expect(json).toEqual({ Words: ['a', null], Score: [null, 1] });
  expect(form).toContain('Words.0=a&Words.1.%40nil=true&Score.0.%40nil=true&Score.1=1');
  expect(soap).toContain('<Words><Word>a</Word><Word xsi:nil="true"/></Words><Score xsi:nil="true"/><Score>1</Score>');
  expect(() => read(`<l:Rich ${nil} lang="en"/>`)).toThrow('nil with attributes');
});

test('FORM has another sign for dots in names', () => {
  expect(read('<l:First.Name>Ann</l:First.Name>')).toMatchObject({
    json: { 'First.Name': 'Ann' },
    form: 'First%252EName=Ann',
  });
  const { body: _, ...call } = protocols.form.encodeRequest(service, send!, {});
  const sent = (name: string) => outcomeOf(protocols, 'form', { ...call, body: `Inner.Id=1&${name}=Ann` }, routes);
  expect(sent('First%252EName')).toMatchObject({ input: expect.stringContaining('"First.Name":"Ann"') });
  expect(sent('First.Name')).toMatchObject({ problem: 'unknownField' });
  expect(protocols.form.coordinates(['First.Name'], send!, 'input')).toBe('First%2EName');
});

test('a choice may have elements that stand for one, of which one is there', () => {
  expect(read('<l:Mark><l:circle>c</l:circle></l:Mark>').json).toEqual({ Mark: { circle: 'c' } });
  const { body: _, ...call } = protocols.json.encodeRequest(service, send!, {});
  const body = JSON.stringify({ Inner: { Id: '1' }, Mark: { circle: 'c', square: 's' } });
  expect(outcomeOf(protocols, 'json', { ...call, body }, routes)).toMatchObject({
    issues: [['Mark.square', 'invalidField', 'Invalid field square']],
  });
});

test('the type that an answer names in place of another one is kept where the contract lacks it', () => {
  const plain = Object.freeze({ ...object('Letter', { Note: optional(string()) }), hasOtherTypes: true as const });
  const note = operation({ ...send!, name: 'Note', output: object('NoteResult', { Letter: optional(plain) }) });
  const own = declare({ ...service, operations: [note] });
  const answer = (type: string) => {
    const content = `<l:NoteResponse><l:Letter xsi:type="l:${type}"><l:Note>n</l:Note></l:Letter></l:NoteResponse>`;
    const reply = {
      status: 200,
      media: { type: 'text/xml', charset: undefined },
      headers: {},
      body: Buffer.from(envelope(content)),
    };
    const decoded = createProtocols([own]).soap11.decodeAnswer(note, reply);
    return 'value' in decoded ? [decoded.value, decoded.unknownMembers] : decoded;
  };
  expect(answer('Signed')).toEqual([{ Letter: { Note: 'n' } }, ['Letter.@type']]);
  expect(answer('Letter')).toEqual([{ Letter: { Note: 'n' } }, []]);
  const asked = declare({ ...service, operations: [operation({ ...note, input: note.output })] });
  const ask = (type: string) => {
    const body = envelope(`<l:Note><l:Letter xsi:type="l:${type}"><l:Note>n</l:Note></l:Letter></l:Note>`);
    const target = { service: asked, version: 1, operation: asked.operations.get('Note') };
    const head = { query: '', headers: {} };
    return createProtocols([asked]).soap11.decode(
      Buffer.from(body),
      { type: 'text/xml', charset: undefined },
      target,
      head,
    ).input;
  };
  expect(ask('Letter')).toEqual({ Letter: { Note: 'n' } });
  expect(() => ask('Signed')).toThrow('type that the contract does not have, Signed');
});

test('a whole message may be of a type that extends its own', () => {
  const body = envelope(
    '<l:SendResponse xsi:type="l:Signed"><l:Inner><l:Id>1</l:Id></l:Inner><l:Signature>AAEC</l:Signature></l:SendResponse>',
  );
  const reply = { status: 200, media: { type: 'text/xml', charset: undefined }, headers: {}, body: Buffer.from(body) };
  const answer = protocols.soap11.decodeAnswer(send!, reply);
  const value = { xsiType: 'Signed', Inner: { Id: '1' }, Signature: 'AAEC' };
  expect(answer).toMatchObject({ value, unknownMembers: [] });
  expect(protocols.soap11.encode(send!, value).body).toContain(' xsi:type="ns1:Signed"><Inner>');
});

test('the WSDL has a choice that repeats, mixed types and names, and OpenAPI the members', () => {
  const wsdl = deriveWsdl(service, { address: 'http://gateway.example/', soap12: false });
  expect(wsdl.replace(/\s+/g, ' ')).toContain(
    '<xsd:choice maxOccurs="unbounded" minOccurs="0"> <xsd:element minOccurs="1" name="Line" type="xsd:string"/>',
  );
  expect(wsdl).toContain('<xsd:complexType mixed="true" name="Rich">');
  expect(wsdl).toMatch(/name="Code"[^>]*type="xsd:QName"/);
  expect(wsdl).toMatch(/<xsd:element name="Send" type="\w+:Letter"/);
  const { schemas } = deriveOpenApi([service], 'http://gateway.example').components as {
    readonly schemas: Readonly<Record<string, { readonly properties?: object }>>;
  };
  expect(schemas.Blocks?.properties).toMatchObject({ order: { items: { enum: ['Line', 'Rule', 'any'] } } });
  expect(JSON.stringify(schemas)).toContain('{"type":"null"}');
});
