/** Messages of every form that a WSDL may declare: the contract reads what it prints, in each format, and gives the same WSDL. */
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { SignedXml } from 'xml-crypto';
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { createProtocols, type NamedProtocol, type Protocols } from '../../src/core/formats/wire-formats.ts';
import { compileRoutes, type Routes } from '../../src/core/gateway/route.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { createSecurity } from '../../src/forward/ws-security.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { decode, outcomeOf } from '../support/exchange.ts';

const folder = join(import.meta.dirname, '../wsdl');

let services: readonly Service[];
let protocols: Protocols;
let routes: Routes;
beforeAll(async () => {
  const imported = await importWsdl(join(folder, 'forms-of-messages.wsdl'), { allowNetwork: false });
  services = imported.services.map(({ service }) => service);
  protocols = createProtocols(services);
  routes = compileRoutes(services);
});

const find = (name: string): { readonly service: Service; readonly operation: Operation } => {
  const service = services.find(({ operations }) => operations.has(name))!;
  return { service, operation: service.operations.get(name)! };
};

test('every port has a contract, and every operation is there', () => {
  expect(services.map(({ name, operations }) => [name, [...operations.keys()]])).toEqual([
    ['Forms', ['Put', 'Typed.Pair', 'Ask', 'First', 'Second', 'Parts-Ü', 'Nothing']],
    ['PlainForms', ['Plain']],
  ]);
});

const payload =
  '<Payload xmlns:a0="http://www.w3.org/2001/XMLSchema-instance" xmlns:t0="urn:t" a0:type="t0:T">1 &lt; 2</Payload>';
const inputs: readonly (readonly [string, unknown])[] = [
  ['Put', { Text: 'a', Payload: payload, any: ['<x xmlns="urn:x"><y xmlns="">&amp;</y></x>'], kind: 'k', lang: 'en' }],
  ['Typed.Pair', { A: 1, B: [1.5, 2] }],
  ['Ask', { Question: 'why' }],
  ['First', { N: 1 }],
  ['Second', { N: 1 }],
  ['Parts-Ü', { One: 'one', Two: { A: 2, B: [3] } }],
  ['Nothing', {}],
  ['Plain', { Local: 'here' }],
];

describe.each(inputs)('%s', (name, input) => {
  test.each<NamedProtocol>(['soap11', 'soap12', 'json', 'form'])('is read as it was printed, in %s', (format) => {
    const { service, operation } = find(name);
    const call = protocols[format].encodeRequest(service, operation, input);
    const decoded = decode(protocols, format, call, routes);
    expect(decoded.issues).toEqual([]);
    expect(decoded.operation.name).toBe(name);
    expect(decoded.input).toEqual(input);
  });

  test.each<NamedProtocol>(['soap11', 'soap12', 'json', 'form'])('has an answer that is read, in %s', (format) => {
    const { operation } = find(name);
    const output = inputs.find(([, each]) => sameFields(operation.output, each))?.[1] ?? emptyOr7(operation);
    const { body } = protocols[format].encode(operation, output);
    expect(protocols[format].decodeResponse(operation, body)).toEqual({ value: output, issues: [] });
  });
});

/** The answers that no input of the table has. */
function emptyOr7({ output }: Operation): unknown {
  return Object.keys(output.fields).length === 0 ? {} : { value: 7 };
}

function sameFields({ fields }: Operation['output'], value: unknown): boolean {
  return (
    Object.keys(fields).every((name) => Object.hasOwn(Object(value), name)) &&
    Object.keys(fields)[0] !== 'value' &&
    Object.keys(fields).length > 0
  );
}

test('elements are where the WSDL has them', () => {
  const bodyOf = (name: string) => {
    const { service, operation } = find(name);
    const input = inputs.find(([each]) => each === name)?.[1];
    return protocols.soap11
      .encodeRequest(service, operation, input)
      .body.replace(/.*?(?=<soap:Body)|<\/soap:Envelope>/g, '');
  };
  expect(bodyOf('Plain')).toBe('<soap:Body><Plain xmlns:ns1="urn:forms"><Local>here</Local></Plain></soap:Body>');
  expect(bodyOf('Ask')).toContain('<ns2:Ask xmlns:ns1="urn:forms"');
  expect(bodyOf('Put')).toContain(
    '<Payload xmlns:a0="http://www.w3.org/2001/XMLSchema-instance" xmlns:t0="urn:t" a0:type="t0:T">',
  );
  expect(bodyOf('Put')).toMatch(/^<soap:Body><ns1:Put [^>]* ns1:kind="k" xml:lang="en">/);
  expect(bodyOf('Nothing')).toMatch(/^<soap:Body[^>]*><\/soap:Body>$/);
});

test('a header that must be understood is that of an operation whose fields are elements of the Body', () => {
  const outcomeWith = (name: string) => {
    const { service, operation } = find(name);
    const input = inputs.find(([each]) => each === name)?.[1];
    const call = protocols.soap11.encodeRequest(service, operation, input);
    const plain = call.body.replace(/<soap:Header>.*<\/soap:Header>/, '');
    const block = '<o:Session xmlns:o="urn:other" soap:mustUnderstand="1"><o:Id>s</o:Id></o:Session>';
    const body = plain.replace('<soap:Body', `<soap:Header>${block}</soap:Header><soap:Body`);
    return outcomeOf(protocols, 'soap11', { ...call, body }, routes);
  };
  expect(outcomeWith('Parts-Ü')).toMatchObject({
    input: expect.stringContaining('"soapHeaders":{"Session":{"Id":"s"}}'),
  });
  expect(outcomeWith('First')).toMatchObject({ problem: 'mustUnderstand' });
});

test('a signature is over a Body that declares namespaces', () => {
  const { service, operation } = find('Parts-Ü');
  const { body } = protocols.soap11.encodeRequest(service, operation, { One: 'one', Two: { A: 2, B: [3] } });
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const signature = { cert: publicKey, key: privateKey };
  const { addBlocks, prefix } = protocols.soap11.upstream.envelope!;
  const security = createSecurity({ signature }, prefix);
  const signed = security.sign(addBlocks(body, security.block()));
  expect(signed).toMatch(/<soap:Body [^>]*wsu:Id="body"[^>]*>/);
  const verifier = new SignedXml({ publicCert: publicKey, idMode: 'wssecurity' });
  verifier.loadSignature(/<ds:Signature .*<\/ds:Signature>/s.exec(signed)![0]);
  expect(verifier.checkSignature(signed)).toBe(true);
});

test('one element without an action is no operation', () => {
  const { service, operation } = find('First');
  const { headers: _, ...call } = protocols.soap11.encodeRequest(service, operation, { N: 1 });
  expect(outcomeOf(protocols, 'soap11', call, routes)).toMatchObject({ problem: 'unknownOperation' });
});

test.each([
  ['markup that ends the element', '</Payload><Text>x</Text><Payload>'],
  ['two elements', '<a/><b/>'],
  ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ['an undeclared prefix', '<a:b/>'],
])('XML in JSON is refused: %s', (_, text) => {
  const { service, operation } = find('Put');
  const { body: __, ...call } = protocols.json.encodeRequest(service, operation, {});
  for (const input of [{ Payload: text }, { any: [text] }])
    expect(outcomeOf(protocols, 'json', { ...call, body: JSON.stringify(input) }, routes)).toMatchObject({
      issues: [[expect.any(String), 'structure', expect.any(String)]],
    });
});

test('an element of any name is none of the fields', () => {
  const { service, operation } = find('Put');
  const call = protocols.json.encodeRequest(service, operation, {});
  const body = JSON.stringify({ any: ['<Text xmlns="urn:forms">x</Text>'] });
  expect(outcomeOf(protocols, 'json', { ...call, body }, routes)).toMatchObject({
    issues: [['any', 'invalidField', expect.any(String)]],
  });
});

test('a text without markup is the content of an element', () => {
  const { service, operation } = find('Put');
  const call = protocols.json.encodeRequest(service, operation, {});
  const decoded = decode(protocols, 'json', { ...call, body: '{"Payload":"1 & 2"}' }, routes);
  expect(decoded.input).toEqual({ Payload: '<value>1 &amp; 2</value>' });
  expect(protocols.soap11.encodeRequest(service, operation, decoded.input).body).toContain(
    '<Payload>1 &amp; 2</Payload>',
  );
});

test('the derived WSDL declares the same messages', () => {
  const [forms, plain] = services.map((each) =>
    deriveWsdl(each, { address: 'http://gateway.example/', soap12: false }),
  );
  expect(forms).toContain('type="xsd:unsignedInt"');
  expect(forms).toMatch(/<xsd:any [^>]*namespace="##other"/);
  expect(forms).toContain('<wsdl:part name="Two" element="tns:Two"/>');
  expect(forms).not.toContain('xmlns:tns=""');
  expect(plain).not.toContain('xmlns:tns=""');
  expect(plain).toContain('<wsdl:part name="parameters" element="Plain"/>');
});
