/** Tests the import of a WSDL from a server: what it follows, and where it stops. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { importWsdl } from '../../src/wsdl/import-wsdl.ts';
import { bytesMax, Unread } from '../../src/wsdl/read-location.ts';

const xs = 'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"';
/** Its types are in a schema that is imported, which includes another one. */
const wsdl = (schema: string) => `<definitions name="T" targetNamespace="urn:t" ${xs}
 xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"><types>
<xs:schema><xs:import namespace="urn:t" schemaLocation="${schema}"/></xs:schema></types>
<message name="i"><part name="p" element="t:Ask"/></message><message name="o"><part name="p" element="t:AskResponse"/></message>
<portType name="T"><operation name="Ask"><input message="t:i"/><output message="t:o"/></operation></portType>
<binding name="B" type="t:T"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Ask">
<input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
<service name="T"><port name="P" binding="t:B"><soap:address location="http://t.example/t"/></port></service></definitions>`;
const messages = `<xs:schema targetNamespace="urn:t" ${xs}><xs:include schemaLocation="types/code.xsd?v=1"/>
<xs:element name="Ask"><xs:complexType><xs:sequence><xs:element name="Code" type="t:Code"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="AskResponse"><xs:complexType><xs:sequence><xs:element name="Text" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
</xs:schema>`;
const code = `<xs:schema targetNamespace="urn:t" ${xs}><xs:simpleType name="Code"><xs:restriction base="xs:int"/></xs:simpleType></xs:schema>`;

let server: Server;
let origin: string;
let asked: string[];
let answers: Record<string, string | RequestListener>;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url!);
    const answer = answers[request.url!];
    if (typeof answer === 'function') answer(request, response);
    else response.writeHead(answer === undefined ? 404 : 200).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
  answers = { '/shop?wsdl': wsdl('xsd/messages.xsd'), '/xsd/messages.xsd': messages, '/xsd/types/code.xsd?v=1': code };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const read = (path = '/shop?wsdl', timeLimitMs = 20_000) =>
  importWsdl(`${origin}${path}`, { allowNetwork: true, timeLimitMs });
const refusalsOf = async () => (await read()).findings.filter(({ kind }) => kind === 'refused').map(({ text }) => text);

test('imports and includes are followed, each read once', async () => {
  const { service, findings } = await read();
  expect(service.operations.get('Ask')!.input.fields).toMatchObject({ Code: { schema: { kind: 'integer' } } });
  expect(findings.filter(({ kind }) => kind === 'refused')).toEqual([]);
  expect(asked).toEqual(['/shop?wsdl', '/xsd/messages.xsd', '/xsd/types/code.xsd?v=1']);
});

test('nothing is asked without the option (control)', async () => {
  await expect(importWsdl(`${origin}/shop?wsdl`, { allowNetwork: false })).rejects.toThrow('--allow-network');
  expect(asked).toEqual([]);
});

test('a redirection is followed, and not to anything but HTTP', async () => {
  answers['/old.wsdl'] = (_, response) => response.writeHead(302, { Location: '/shop?wsdl' }).end();
  expect((await read('/old.wsdl')).service.operations.has('Ask')).toBe(true);
  answers['/file.wsdl'] = (_, response) => response.writeHead(302, { Location: 'file:///etc/hostname' }).end();
  await expect(read('/file.wsdl')).rejects.toThrow(Unread);
  answers['/loop.wsdl'] = (_, response) => response.writeHead(302, { Location: '/loop.wsdl' }).end();
  await expect(read('/loop.wsdl')).rejects.toThrow(Unread);
});

describe('a document is not read', () => {
  test('where it is larger than the limit', async () => {
    answers['/large.wsdl'] = (_, response) => {
      response.writeHead(200);
      const send = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', send);
      };
      send();
    };
    await expect(read('/large.wsdl')).rejects.toThrow(`more than ${bytesMax >> 20} MiB`);
  });

  test('where it takes too long', async () => {
    answers['/slow.wsdl'] = (_, response) => void response.writeHead(200).write('<definitions');
    await expect(read('/slow.wsdl', 100)).rejects.toThrow('it takes too long');
  });

  test('where the server breaks the connection, or refuses it', async () => {
    answers['/broken.wsdl'] = (request) => request.socket.destroy();
    await expect(read('/broken.wsdl')).rejects.toThrow('cannot be read');
    await expect(read('/none.wsdl')).rejects.toThrow('answers with 404');
  });

  test.each([
    ['a file', 'file:///etc/hostname', 'is a file, named by a URL'],
    ['a schema that is missing', 'none.xsd', 'answers with 404'],
    ['a page', '/page.html', 'not well-formed'],
    ['something of another scheme', 'ftp://127.0.0.1/a.xsd', 'no file and no URL of HTTP'],
  ])('where the WSDL imports %s, and the finding says so', async (_, location, reason) => {
    answers['/shop?wsdl'] = wsdl(location);
    answers['/page.html'] = '<!doctype html><p>Please log in.';
    await expect(refusalsOf()).rejects.toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ text: expect.stringContaining(reason) })]),
    });
  });
});
