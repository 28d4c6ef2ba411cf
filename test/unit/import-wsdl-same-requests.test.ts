/** Operations that one message may mean, and messages that hold nothing but attributes: imported, and read in SOAP. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { decode } from '../support/exchange.ts';
import { importWsdl } from '../support/import-wsdl.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
});
afterAll(() => folder.discard());

interface Declared {
  readonly name: string;
  readonly action: string;
  /** The parts of its request. */
  readonly parts: string;
}

async function importOperations(operations: readonly Declared[], style: 'document' | 'rpc' = 'document') {
  const file = join(folder.path, 'operations.wsdl');
  const each = (print: (declared: Declared) => string): string => operations.map(print).join('');
  writeFileSync(
    file,
    `<definitions targetNamespace="urn:t" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:t="urn:t" xmlns:xs="http://www.w3.org/2001/XMLSchema"><types><xs:schema targetNamespace="urn:t">
      <xs:complexType name="Span"><xs:attribute name="Start" type="xs:string"/></xs:complexType>
      <xs:complexType name="Stay"><xs:sequence><xs:element name="Range" type="t:Span" minOccurs="0"/></xs:sequence></xs:complexType>
      <xs:element name="In"><xs:complexType><xs:sequence><xs:element name="Stays"><xs:complexType><xs:sequence>
        <xs:element name="Stay" type="t:Stay" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>
      <xs:element name="Out"><xs:complexType><xs:sequence>
        <xs:element name="Stay" type="t:Stay" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
    </xs:schema></types>${each(
      ({ name, parts }) => `<message name="${name}In">${parts}</message>`,
    )}<message name="Out"><part name="p" ${style === 'rpc' ? 'type="xs:string"' : 'element="t:Out"'}/></message>
    <portType name="P">${each(
      ({ name }) => `<operation name="${name}"><input message="t:${name}In"/><output message="t:Out"/></operation>`,
    )}</portType>
    <binding name="B" type="t:P"><soap:binding style="${style}" transport="http://schemas.xmlsoap.org/soap/http"/>${each(
      ({ name, action }) =>
        `<operation name="${name}"><soap:operation soapAction="${action}"/><input><soap:body use="literal" namespace="urn:t"/></input>
        <output><soap:body use="literal" namespace="urn:t"/></output></operation>`,
    )}</binding>
    <service name="S"><port name="P" binding="t:B"><soap:address location="http://x.example/s"/></port></service></definitions>`,
  );
  const { service, findings } = await importWsdl(file, { allowNetwork: false });
  return { service, refused: findings.filter(({ kind }) => kind === 'refused').map(({ text }) => text) };
}

const element = '<part name="p" element="t:In"/>';
const names = ({ operations }: Service): readonly string[] => [...operations.keys()];

/** The operations that the calls of stubs are read as. */
function readAs(service: Service): readonly string[] {
  const protocols = createProtocols([service]);
  const routes = compileRoutes([service]);
  return [...service.operations.values()].map((operation) => {
    const call = protocols.soap11.encodeRequest(service, operation, exampleOf(operation.input, 'mandatory'));
    const decoded = decode(protocols, 'soap11', call, routes);
    expect(decoded.issues).toEqual([]);
    return decoded.operation.name;
  });
}

describe('operations without a part', () => {
  test('need a SOAPAction of their own', async () => {
    const { service, refused } = await importOperations([
      { name: 'Start', action: 'urn:one', parts: '' },
      { name: 'Stop', action: 'urn:one', parts: '' },
    ]);
    expect(names(service)).toEqual(['Start']);
    expect(refused.join()).toContain('another operation has no element, either, and no other SOAPAction');
  });

  test('are told apart by it: a control', async () => {
    const { service } = await importOperations([
      { name: 'Start', action: 'urn:one', parts: '' },
      { name: 'Stop', action: 'urn:two', parts: '' },
    ]);
    expect(readAs(service)).toEqual(['Start', 'Stop']);
  });
});

test('of two operations with one element, an empty SOAPAction means the one without any', async () => {
  const { service } = await importOperations([
    { name: 'Named', action: 'urn:one', parts: element },
    { name: 'Plain', action: '', parts: element },
  ]);
  expect(readAs(service)).toEqual(['Named', 'Plain']);
});

test('a part of style rpc needs a name', async () => {
  const part = (name: string) => `<part name="${name}" type="xs:string"/>`;
  const both = [
    { name: 'Nameless', action: '', parts: part('') },
    { name: 'Named', action: '', parts: part('p') },
  ];
  const { service, refused } = await importOperations(both, 'rpc');
  expect(names(service)).toEqual(['Named']);
  expect(refused.join()).toContain('the part has no name');
});

describe('an item that holds nothing but attributes of its elements', () => {
  const stay = '<Stay><Range Start="text"/></Stay>';

  test('is in the example of a request, which SOAP reads', async () => {
    const { service } = await importOperations([{ name: 'Book', action: '', parts: element }]);
    const [book] = [...service.operations.values()];
    expect(exampleOf(book!.input, 'mandatory')).toEqual({ Stays: [{ Range: { Start: 'text' } }] });
    expect(readAs(service)).toEqual(['Book']);
  });

  test.each([
    ['is kept in an answer', stay, { Stay: [{ Range: { Start: 'text' } }] }],
    ['is none without them: a control', '<Stay><Range/></Stay>', {}],
  ])('%s', async (_, content, value) => {
    const { service } = await importOperations([{ name: 'Book', action: '', parts: element }]);
    const { soap11 } = createProtocols([service]);
    const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><t:Out xmlns:t="urn:t">${content}</t:Out></e:Body></e:Envelope>`;
    const reply = {
      status: 200,
      media: { type: 'text/xml', charset: undefined },
      headers: {},
      body: Buffer.from(body),
    };
    expect(soap11.decodeAnswer([...service.operations.values()][0]!, reply)).toMatchObject({
      value,
      unknownMembers: [],
    });
  });
});
