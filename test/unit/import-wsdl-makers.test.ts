/** Tests forms that the WSDLs of some makers have: each operation is imported, and no member of it is left out. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Service } from '../../src/core/contract/service.ts';
import { partsIn } from '../../src/core/contract/walk.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { decode } from '../support/exchange.ts';
import { importWsdl } from '../support/import-wsdl.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'makers-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const uris =
  'xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"';
const transport = 'transport="http://schemas.xmlsoap.org/soap/http"';

/** A WSDL whose operation Ask has a part with an element Ask; `content`: of its type. */
interface Parts {
  readonly content?: string;
  readonly more?: string;
  readonly types?: string;
  readonly style?: string;
  readonly output?: string;
  readonly headers?: string;
  readonly faults?: string;
  readonly messages?: string;
  readonly service?: string;
}

const wsdl = ({
  content = '<xs:sequence/>',
  more = '',
  types = '',
  style = 'document',
  output = '<output message="t:o"/>',
  headers = '',
  faults = '',
  messages = '',
  service = '<service name="T"><port name="P" binding="t:B"><soap:address location="http://t.example/t"/></port></service>',
}: Parts) => `<definitions name="T" targetNamespace="urn:t" ${uris}><types>${types}
<xs:schema targetNamespace="urn:t" elementFormDefault="qualified">${more}
<xs:element name="Ask"><xs:complexType>${content}</xs:complexType></xs:element>
<xs:element name="AskResponse"><xs:complexType><xs:sequence/></xs:complexType></xs:element>
</xs:schema></types><message name="i"><part name="p" element="t:Ask"/></message><message name="o"><part name="p" element="t:AskResponse"/></message>${messages}
<portType name="T"><operation name="Ask"><input message="t:i"/>${output}${faults}</operation></portType>
<binding name="B" type="t:T"><soap:binding ${transport} style="${style}"/><operation name="Ask"><soap:operation soapAction=""/>
<input><soap:body use="literal" namespace="urn:t"/>${headers}</input>${output === '' ? '' : '<output><soap:body use="literal" namespace="urn:t"/></output>'}</operation></binding>
${service}</definitions>`;

const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

async function importText(parts: Parts) {
  const { service, findings } = await importWsdl(write('t.wsdl', wsdl(parts)), { allowNetwork: false });
  return {
    service,
    operation: service.operations.get('Ask')!,
    left: findings.filter(({ kind }) => kind === 'refused').map(({ text }) => text),
    changed: findings.filter(({ kind }) => kind === 'changed').map(({ text }) => text),
    derived: deriveWsdl(service, { address: 'http://t.example/t', soap12: true }),
  };
}

const sequence = (...parts: readonly string[]) => `<xs:sequence>${parts.join('')}</xs:sequence>`;
const element = (name: string, more = 'type="xs:int"') => `<xs:element name="${name}" ${more}/>`;

test('a DataSet of .NET is a list of XML texts', async () => {
  const result = `<xs:element name="Set" minOccurs="0"><xs:complexType>${sequence('<xs:element ref="xs:schema"/>', '<xs:any/>')}</xs:complexType></xs:element>`;
  const { service, operation, left } = await importText({ content: sequence(result) });
  expect(left).toEqual([]);
  const set = { any: ['<schema xmlns="http://www.w3.org/2001/XMLSchema"/>', '<diff xmlns="urn:d">1</diff>'] };
  const protocols = createProtocols([service]);
  const call = protocols.soap11.encodeRequest(service, operation, { Set: set });
  expect(decode(protocols, 'soap11', call, compileRoutes([service])).input).toEqual({ Set: set });
});

test('a part of style rpc may name an element', async () => {
  const content = sequence(element('A'));
  const { service, operation, left, derived } = await importText({ content, style: 'rpc' });
  expect(left).toEqual([]);
  const call = createProtocols([service]).soap11.encodeRequest(service, operation, { Ask: { A: 1 } });
  expect(String(call.body)).toMatch(/<ns1:Ask xmlns:ns1="urn:t"><ns1:Ask><ns1:A>1</);
  expect(derived).toContain('<wsdl:part name="Ask" element="tns:Ask"/>');
  expect(derived).toMatch(/<xsd:element name="Ask" nillable="true" type="\w+:\w+"\/>/);
});

describe('a member that several parts of a choice have', () => {
  const choice = (...parts: readonly string[]) => `<xs:choice>${parts.join('')}</xs:choice>`;
  const branch = (...names: readonly string[]) => sequence(...names.map((name) => element(name)));

  test('is one member, and may be with those of each', async () => {
    const { service, operation, left } = await importText({ content: choice(branch('A', 'B'), branch('A', 'C')) });
    expect(left).toEqual([]);
    expect(Object.keys(operation.input.fields)).toEqual(['A', 'B', 'C']);
    const protocols = createProtocols([service]);
    const call = protocols.json.encodeRequest(service, operation, { A: 1, C: 2 });
    expect(decode(protocols, 'json', call, compileRoutes([service])).issues).toEqual([]);
  });

  test('is left out where it has another type there, or occurs again', async () => {
    const other = sequence(element('A', 'type="xs:string"'), element('C'));
    const again = await importText({ content: sequence(element('A'), element('A', 'type="xs:int" minOccurs="0"')) });
    expect((await importText({ content: choice(branch('A', 'B'), other) })).left).toHaveLength(1);
    expect(again.left).toEqual(['two members are called A, so it is left out']);
  });
});

describe('a schema with a DOCTYPE', () => {
  const schema = (text: string) => `<xs:include schemaLocation="${write('d.xsd', text).replace(/.*\//, '')}"/>`;
  const type = (base: string) =>
    `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"><xs:simpleType name="S"><xs:restriction base="${base}"/></xs:simpleType></xs:schema>`;
  const doctype =
    '<!DOCTYPE xs:schema PUBLIC "-//W3C//DTD XMLSCHEMA 200102//EN" "XMLSchema.dtd" [<!ENTITY a "xs:int">]>';

  test('is read, and its entities are not', async () => {
    const content = sequence(element('A', 'type="t:S" minOccurs="0"'));
    const { operation, left } = await importText({ content, more: schema(doctype + type('xs:int')) });
    expect(left).toEqual([]);
    expect(operation.input.fields.A!.schema.kind).toBe('integer');
    const withEntity = await importText({ content, more: schema(doctype + type('&a;')) });
    expect(withEntity.left[0]).toContain('not well-formed');
  });
});

test('types may import schemas outside of a schema, and have a documentation', async () => {
  write('i.xsd', `<xs:schema ${uris} targetNamespace="urn:i">${element('Part')}</xs:schema>`);
  const types = '<documentation>Types.</documentation><xs:import namespace="urn:i" schemaLocation="i.xsd"/>';
  const content = sequence('<xs:element ref="i:Part" xmlns:i="urn:i"/>');
  const { operation, left } = await importText({ content, types });
  expect(left).toEqual([]);
  expect(operation.input.fields.Part!.schema.kind).toBe('integer');
});

test('a document without a service has its bindings as ports', async () => {
  const { service, changed } = await importText({ service: '' });
  expect(service).toMatchObject({ name: 'B', address: '/B' });
  expect(changed).toEqual(['no service names an address: --upstream says where its server is']);
  await expect(importText({ service: '<service name="T"/>' })).resolves.toBeDefined();
});

test('a header may be a list of items', async () => {
  const more = `<xs:element name="Versions"><xs:complexType>${sequence(element('Version', 'type="xs:int" minOccurs="0" maxOccurs="unbounded"'))}</xs:complexType></xs:element>`;
  const { service, operation, left } = await importText({
    more,
    messages: '<message name="h"><part name="v" element="t:Versions"/></message>',
    headers: '<soap:header message="t:h" part="v" use="literal"/>',
  });
  expect(left).toEqual([]);
  const input = { soapHeaders: { Versions: { Version: [1, 2] } } };
  const call = createProtocols([service]).soap11.encodeRequest(service, operation, input);
  expect(String(call.body)).toMatch(/:Versions [^>]*><Version>1<\/Version><Version>2</);
});

test('an operation without an answer may have an element that is called like one', async () => {
  const text = wsdl({ content: sequence(element('return')), output: '' });
  const { service } = await importWsdl(
    write(
      'o.wsdl',
      text
        .replaceAll('name="Ask"', 'name="AskResponse"')
        .replaceAll('"t:Ask"', '"t:AskResponse"')
        .replace(/<xs:element name="AskResponse"><xs:complexType><xs:sequence\/>.*\n/, '')
        .replaceAll('<operation name="AskResponse">', '<operation name="Ask">'),
    ),
    { allowNetwork: false },
  );
  expect(service.operations.get('Ask')).toMatchObject({ oneWay: true, input: { fields: { return: {} } } });
});

test('an element that a fault and a type have is nil in neither', async () => {
  const f = `xmlns:f="urn:f"`;
  const types = `<xs:schema targetNamespace="urn:f"><xs:element name="Error"><xs:complexType>${sequence(element('Code'))}</xs:complexType></xs:element></xs:schema>`;
  const { derived } = await importText({
    types,
    content: sequence(`<xs:element ref="f:Error" minOccurs="0" ${f}/>`),
    messages: `<message name="f"><part name="p" element="f:Error" ${f}/></message>`,
    faults: '<fault name="Error" message="t:f"/>',
  });
  expect(derived).toMatch(/<xsd:element name="Error" type="\w+:Error"\/>/);
});

test('a namespace may have a prefix that ends as that of the service', async () => {
  const more = `<xs:import namespace="urn:at"/>`;
  const types = `<xs:schema xmlns:att="urn:at" targetNamespace="urn:at"><xs:element name="Oops"><xs:complexType>${sequence(element('Code'))}</xs:complexType></xs:element></xs:schema>`;
  const { derived } = await importText({
    types,
    more,
    messages: '<message name="f"><part name="p" element="att:Oops" xmlns:att="urn:at"/></message>',
    faults: '<fault name="Oops" message="t:f"/>',
  });
  const [, prefix] = /<wsdl:part name="fault" element="(\w+):Oops"/.exec(derived)!;
  expect(derived).toMatch(new RegExp(`<wsdl:definitions [^>]*xmlns:${prefix}="urn:at"`));
});

test('the schema of xml:lang is in the derived WSDL', async () => {
  const attribute = '<xs:attribute ref="xml:lang"/><xs:attribute ref="xml:space"/>';
  const { derived } = await importText({ content: `${sequence(element('A'))}${attribute}` });
  const [schema] =
    /<xsd:schema [^>]*targetNamespace="http:\/\/www.w3.org\/XML\/1998\/namespace">[\s\S]*?<\/xsd:schema>/.exec(
      derived,
    )!;
  expect(schema.match(/name="\w+"/g)).toEqual(['name="lang"', 'name="space"']);
  expect((await importText({ content: sequence(element('A')) })).derived).not.toContain('XML/1998');
});

test('large types in a type of many are read once each', async () => {
  const members = (count: number, type: (at: number) => string) =>
    sequence(...Array.from({ length: count }, (_, at) => element(`M${at}`, `type="${type(at)}"`)));
  const types = [
    members(50, () => 'xs:int'),
    members(10, () => 't:T0'),
    members(70, () => 't:T1'),
    members(4, (at) => (at === 3 ? 't:T0' : 't:T2')),
    members(1, () => 't:T3'),
  ];
  const more = types.map((content, at) => `<xs:complexType name="T${at}">${content}</xs:complexType>`).join('');
  const { operation, left, changed } = await importText({ more, content: sequence(element('All', 'type="t:T4"')) });
  expect([left, changed]).toEqual([[], []]);
  expect(partsIn(operation.input).length).toBeLessThan(200);
});

describe('what a type has', () => {
  const read = (service: Service, body: string) =>
    decode(
      createProtocols([service]),
      'soap11',
      {
        path: '/t/v1',
        contentType: 'text/xml',
        body: `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>${body}</e:Body></e:Envelope>`,
      },
      compileRoutes([service]),
    );

  test('an attribute called href is a value, and no reference of an encoded message', async () => {
    const { service } = await importText({
      content: sequence(
        '<xs:element name="Link" minOccurs="0"><xs:complexType><xs:attribute name="href" type="xs:anyURI"/></xs:complexType></xs:element>',
      ),
    });
    for (const href of ['http://t.example/a', '#part'])
      expect(read(service, `<Ask xmlns="urn:t"><Link href="${href}"/></Ask>`)).toMatchObject({
        input: { Link: { href } },
        issues: [],
      });
  });

  test('an Include stands for bytes, which are sent beside the envelope', async () => {
    const xop = 'http://www.w3.org/2004/08/xop/include';
    const { service } = await importText({
      types: `<xs:schema targetNamespace="${xop}"><xs:element name="Include"><xs:complexType><xs:attribute name="href" type="xs:anyURI" use="required"/></xs:complexType></xs:element></xs:schema>`,
      content: sequence(
        `<xs:element name="Data"><xs:complexType>${sequence(`<xs:element xmlns:xop="${xop}" ref="xop:Include"/>`)}</xs:complexType></xs:element>`,
      ),
    });
    expect(service.mtom).toBe(true);
    expect(service.operations.get('Ask')!.input.fields).toMatchObject({
      Data: { schema: { fields: { value: { schema: { kind: 'binary' }, xml: 'text' } } } },
    });
  });

  test('an extension of anyType has anything beside its own members', async () => {
    const { service } = await importText({
      content: `<xs:complexContent><xs:extension base="xs:anyType">${sequence('<xs:element name="Name" type="xs:string"/>')}</xs:extension></xs:complexContent>`,
    });
    const body = '<Ask xmlns="urn:t"><Name>a</Name><b xmlns="urn:b">1</b></Ask>';
    expect(read(service, body)).toMatchObject({
      input: { Name: 'a', any: [expect.stringContaining('1</b>')] },
    });
  });

  test('blanks around names mean nothing', async () => {
    const padded = wsdl({ content: sequence('<xs:element name=" Name " type=" xs:string "/>') })
      .replace('name="Ask"', 'name=" Ask "')
      .replace('soap/http"', 'soap/http "');
    const { service } = await importWsdl(write('padded.wsdl', padded), { allowNetwork: false });
    expect(Object.keys(service.operations.get('Ask')!.input.fields)).toEqual(['Name']);
  });

  test('a fault of the server that is called ServiceException keeps its data', async () => {
    const { service } = await importText({
      more: '<xs:element name="ServiceException"><xs:complexType><xs:sequence><xs:element name="reason" type="xs:string"/></xs:sequence></xs:complexType></xs:element>',
      messages: '<message name="f"><part name="p" element="t:ServiceException"/></message>',
      faults: '<fault name="ServiceException" message="t:f"/>',
    });
    expect(service.operations.get('Ask')!.faults).toMatchObject([{ element: 'ServiceException' }]);
    const derived = deriveWsdl(service, { address: 'http://gateway.example/', soap12: false });
    expect(derived.match(/<xsd:element name="ServiceException"/g)).toHaveLength(1);
    // The derived document is read again as it was.
    const again = await importWsdl(write('again.wsdl', derived), { allowNetwork: false });
    expect(again.service.operations.get('Ask')!.faults).toMatchObject([{ element: 'ServiceException' }]);
  });

  const thing = '<xs:schema targetNamespace="urn:o"><xs:element name="Thing" type="xs:string"/></xs:schema>';
  const named = (occurs: string) => `<xs:element name="Name" type="xs:string" ${occurs}/>`;
  const any = (namespace: string) =>
    `<xs:any namespace="${namespace}" processContents="lax" minOccurs="0" maxOccurs="9"/>`;
  const reference = '<xs:element ref="o:Thing" xmlns:o="urn:o" minOccurs="0"/>';

  test.each([
    ['before it an element that may be absent', named('minOccurs="0"') + any('##any'), ['##other']],
    ['before it an element that is repeated', named('maxOccurs="9"') + any('##any'), ['##other']],
    ['before it an element that is there once', named('') + any('##any'), ['##any']],
    ['after it an element', any('##any') + named(''), ['##other']],
    ['before it an element of another namespace', reference + any('##any'), ['##local']],
    ['before it elements of both namespaces', reference + named('minOccurs="0"') + any('##any'), ['##local']],
    ['nothing but such elements', reference + any('##other'), []],
    ['before it such an element, and one that is there once', reference + named('') + any('##other'), ['##other']],
  ])('a derived wildcard excludes the names beside it: %s', async (_, content, namespaces) => {
    const { service } = await importText({ content: sequence(content), types: thing });
    const derived = deriveWsdl(service, { address: 'http://gateway.example/', soap12: false });
    expect([...derived.matchAll(/<xsd:any [^>]*namespace="(.*?)"/g)].map(([, each]) => each)).toEqual(namespaces);
  });
});
