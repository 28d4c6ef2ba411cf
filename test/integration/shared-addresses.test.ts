/** Imported services whose servers share an address, or have one without a path: callers with the old stubs reach all of them there. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operation } from '../../src/core/contract/operation.ts';
import { object, optional, string } from '../../src/core/contract/schema.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { mock } from '../../src/program/testing/mock/mock.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { madeUpService } from '../support/made-up-service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
});
afterAll(() => folder.discard());

const names = ['Alpha', 'Beta', 'Gamma'] as const;

/** A document with a port type of one operation for each name, all at one address. */
async function importAt(address: string): Promise<readonly Service[]> {
  const each = (print: (name: string) => string): string => names.map(print).join('');
  const file = join(folder.path, 'shared.wsdl');
  writeFileSync(
    file,
    `<definitions targetNamespace="urn:t" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:t="urn:t" xmlns:xs="http://www.w3.org/2001/XMLSchema"><types><xs:schema targetNamespace="urn:t">${each(
      (name) => `<xs:element name="${name}"><xs:complexType><xs:sequence>
        <xs:element name="${name}Text" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
      <xs:element name="${name}Response"><xs:complexType><xs:sequence/></xs:complexType></xs:element>`,
    )}</xs:schema></types>${each(
      (name) => `<message name="${name}"><part name="p" element="t:${name}"/></message>
      <message name="${name}Response"><part name="p" element="t:${name}Response"/></message>
      <portType name="${name}"><operation name="${name}"><input message="t:${name}"/><output message="t:${name}Response"/></operation></portType>
      <binding name="${name}" type="t:${name}"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
        <operation name="${name}"><soap:operation soapAction=""/><input><soap:body use="literal"/></input>
          <output><soap:body use="literal"/></output></operation></binding>`,
    )}<service name="S">${each(
      (name) => `<port name="${name}" binding="t:${name}"><soap:address location="${address}"/></port>`,
    )}</service></definitions>`,
  );
  return (await importWsdl(file, { allowNetwork: false })).services.map((each) => each.service);
}

const apiKey = 'key';
const open = (services: readonly Service[]) =>
  createGateway({ services: mock(services), callers: [{ tenant: 'tests', apiKey }] });

const soap = async (gateway: RunningGateway, path: string, content: string) => {
  const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>${content}</e:Body></e:Envelope>`;
  const headers = { 'x-api-key': apiKey, 'content-type': 'text/xml' };
  const answer = await gateway.fetch(new Request(`http://gateway${path}`, { method: 'POST', headers, body }));
  return { status: answer.status, text: await answer.text() };
};

describe.each([
  ['without a path', 'http://legacy.example/', '/'],
  ['that is no URL', 'REPLACE_WITH_ACTUAL_URL', '/'],
  ['with a path', 'http://legacy.example/shop.asmx', '/shop.asmx'],
])('an address %s', (_, location, path) => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await open(await importAt(location));
  });
  afterAll(() => gateway.close());

  test.each(names)('has the operation %s of its port', async (name) => {
    const answer = await soap(gateway, path, `<t:${name} xmlns:t="urn:t"/>`);
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining(`${name}Response`) });
  });

  test('refuses an operation that no port has, and names a wrong member of the first one', async () => {
    expect((await soap(gateway, path, '<t:Delta xmlns:t="urn:t"/>')).text).toContain('<soap:Fault>');
    const { text } = await soap(gateway, path, '<t:Alpha xmlns:t="urn:t"><Other>1</Other></t:Alpha>');
    expect(text).toContain('Other');
  });

  test('has the page and the WSDL for a GET', async () => {
    const headers = { 'x-api-key': apiKey, accept: 'text/html' };
    const get = async (url: string) =>
      (await gateway.fetch(new Request(`http://gateway${url}`, { headers }))).headers.get('content-type');
    expect(await get(path)).toMatch(/^text\/html/);
    expect(await get(`${path}?wsdl`)).toMatch(/^text\/xml/);
  });
});

test('JSON finds the operations of each port below a shared address', async () => {
  const gateway = await open(await importAt('http://legacy.example/shop.asmx'));
  for (const name of names) {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const url = `http://gateway/shop.asmx/${name}`;
    expect((await gateway.fetch(new Request(url, { method: 'POST', headers, body: '{}' }))).status).toBe(200);
  }
  await gateway.close();
});

test('a service without an address of before is not at the root: a control', async () => {
  const alone = madeUpService(
    'Alone',
    operation({
      name: 'Alpha',
      doc: 'Returns nothing.',
      effect: 'reads',
      role: 'alone',
      problems: [],
      input: object('AlphaRequest', { text: optional(string({ max: 10, example: 'a' }), '') }),
      output: object('AlphaResult', {}),
    }),
  );
  const gateway = await open([alone]);
  expect((await soap(gateway, '/', '<t:Alpha xmlns:t="urn:alone"/>')).status).toBe(404);
  expect((await soap(gateway, '/alone/v1', '<t:Alpha xmlns:t="urn:alone"/>')).status).toBe(200);
  await gateway.close();
});
