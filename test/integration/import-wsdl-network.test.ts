/** Tests the import of a WSDL from a server: what it follows, and where it stops. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type DownloadOptions, download, mayLeadTo, type Origin } from '../../src/readers/wsdl/download.ts';
import { bytesMax, Unread } from '../../src/readers/wsdl/read-location.ts';
import { importWsdl } from '../support/import-wsdl.ts';
import { listenLocally } from '../support/listen-locally.ts';

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
  origin = `http://127.0.0.1:${await listenLocally(server)}`;
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
  await expect(importWsdl(`${origin}/shop?wsdl`, { allowNetwork: false })).rejects.toThrow('is on the network');
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
    ['a page', '/page.html', 'a page in HTML'],
    ['something of another scheme', 'ftp://127.0.0.1/a.xsd', 'no file and no URL of HTTP'],
  ])('where the WSDL imports %s, and the finding says so', async (_, location, reason) => {
    answers['/shop?wsdl'] = wsdl(location);
    answers['/page.html'] = '<!doctype html><p>Please log in.';
    await expect(refusalsOf()).rejects.toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ text: expect.stringContaining(reason) })]),
    });
  });
});

test('a compressed document is read, within the limits', async () => {
  const compressed =
    (text: string): RequestListener =>
    (_, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(text));
  answers['/shop?wsdl'] = compressed(wsdl('xsd/messages.xsd'));
  expect((await read()).service.operations.has('Ask')).toBe(true);
  answers['/shop?wsdl'] = compressed(' '.repeat(bytesMax + 1));
  await expect(read()).rejects.toThrow(`more than ${bytesMax >> 20} MiB`);
  answers['/shop?wsdl'] = (_, response) => response.writeHead(200, { 'Content-Encoding': 'br' }).end('x');
  await expect(read()).rejects.toThrow('an encoding that is not known');
});

describe('a URL with a password', () => {
  const expected = `Basic ${Buffer.from('anna:s:cr@t').toString('base64')}`;
  const withPassword = (url: string): string => url.replace('//', '//anna:s%3Acr%40t@');
  /** Another origin: the same server, by its name. */
  const elsewhere = (): string => origin.replace('127.0.0.1', 'localhost');
  const guarded =
    (text: string): RequestListener =>
    ({ headers }, response) =>
      response.writeHead(headers.authorization === expected ? 200 : 401).end(text);
  const readGuarded = (path = '/shop?wsdl') =>
    importWsdl(withPassword(`${origin}${path}`), { allowNetwork: true, timeLimitMs: 20_000 });

  test('is read with it, and so are imports and redirections of its origin', async () => {
    for (const [path, text] of Object.entries(answers)) answers[path] = guarded(String(text));
    answers['/old.wsdl'] = (_, response) => response.writeHead(302, { Location: '/shop?wsdl' }).end();
    const { service, text } = await readGuarded('/old.wsdl');
    expect(service.operations.has('Ask')).toBe(true);
    expect(asked).toEqual(['/old.wsdl', '/shop?wsdl', '/xsd/messages.xsd', '/xsd/types/code.xsd?v=1']);
    expect(text).not.toMatch(/anna|s:cr@t|s%3Acr/);
    await expect(read()).rejects.toThrow('answers with 401: give those of HTTP Basic in its URL');
  });

  test('is kept from other origins, to which the document leads or redirects', async () => {
    const received: (string | undefined)[] = [];
    const noting =
      (text: string): RequestListener =>
      ({ headers }, response) => {
        received.push(headers.authorization);
        response.writeHead(200).end(text);
      };
    answers['/shop?wsdl'] = wsdl(`${elsewhere()}/xsd/messages.xsd`);
    answers['/xsd/messages.xsd'] = noting(messages);
    answers['/xsd/types/code.xsd?v=1'] = noting(code);
    await readGuarded();
    expect(received).toEqual([undefined, undefined]);
    answers['/old.wsdl'] = (_, response) => response.writeHead(302, { Location: `${elsewhere()}/shop?wsdl` }).end();
    answers['/shop?wsdl'] = noting(wsdl('xsd/messages.xsd'));
    await readGuarded('/old.wsdl');
    // What it imports is at the origin that redirected.
    expect(received.slice(2)).toEqual([undefined, expected, expected]);
  });

  test('is not read where a document or a redirection has it, and never reported', async () => {
    const own = withPassword(origin);
    answers['/shop?wsdl'] = wsdl(`${own}/xsd/messages.xsd`);
    await expect(refusalsOf()).rejects.toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ text: expect.stringContaining('with a user') })]),
    });
    answers['/old.wsdl'] = (_, response) => response.writeHead(302, { Location: `${own}/shop?wsdl` }).end();
    await expect(read('/old.wsdl')).rejects.toThrow(Unread);
    expect(asked).toEqual(['/shop?wsdl', '/old.wsdl']);
    const refused = [`${own}/none.wsdl`, `${own.slice(0, -3)}99999/x`, own.replace('http', 'ftp'), own.slice(0, 5)];
    for (const location of [...refused, own.replace('//', '')])
      for (const allowNetwork of [false, true])
        await expect(importWsdl(location, { allowNetwork })).rejects.toThrow(/^(?!.*(?:anna|s%3Acr|s:cr))/);
  });
});

describe('addresses', () => {
  const metadata = ['169.254.169.254', '[fe80::1]', '[::ffff:169.254.169.254]', '100.100.100.200', '[fd00:ec2::254]'];

  test.each(metadata)('of the own network segment and of cloud metadata are not read: %s', async (host) => {
    const url = `http://${host}:${new URL(origin).port}/shop?wsdl`;
    const isRefused = /link-local or of cloud metadata/;
    await expect(importWsdl(url, { allowNetwork: true, timeLimitMs: 2_000 })).rejects.toThrow(isRefused);
    answers['/redirected.wsdl'] = (_, response) => response.writeHead(302, { Location: url }).end();
    await expect(read('/redirected.wsdl', 2_000)).rejects.toThrow(isRefused);
    answers['/shop?wsdl'] = wsdl(url);
    await expect(refusalsOf()).rejects.toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ text: expect.stringMatching(isRefused) })]),
    });
  });

  test.each([
    ['user', '127.0.0.1', true],
    ['user', '10.0.0.1', true],
    ['user', '93.184.215.14', true],
    ['user', '169.254.169.254', false],
    ['loopback', '127.9.9.9', true],
    ['loopback', '::1', true],
    ['loopback', '93.184.215.14', true],
    ['loopback', '192.168.0.1', false],
    ['loopback', '169.254.169.254', false],
    ['private', '10.1.1.1', true],
    ['private', 'fd12::1', true],
    ['private', '2606:2800::1', true],
    ['private', '127.0.0.1', false],
    ['private', 'fe80::1', false],
    ['public', '93.184.215.14', true],
    ['public', '2606:2800::1', true],
    ['public', '127.0.0.1', false],
    ['public', '0.0.0.0', false],
    ['public', '::', false],
    ['public', '::1', false],
    ['public', '::ffff:127.0.0.1', false],
    ['public', '::ffff:10.0.0.1', false],
    ['public', '10.0.0.1', false],
    ['public', '172.31.0.1', false],
    ['public', '192.168.0.1', false],
    ['public', '100.64.0.1', false],
    ['public', 'fd12::1', false],
    ['public', 'fec0::1', false],
    ['public', '64:ff9b::a00:1', false],
    ['public', '2002:a00:1::', false],
    ['public', '::10.0.0.1', false],
    ['public', '169.254.169.254', false],
  ] satisfies [Origin, string, boolean][])('that a document of %s may name: %s %s', (namedBy, address, isAllowed) => {
    expect(mayLeadTo(namedBy, address)).toBe(isAllowed);
  });

  const limits = { bytesMax, timeLimitMs: 5_000 };
  const ask = (namedBy: Origin, url = `${origin}/xsd/messages.xsd`) => download(url, { ...limits, namedBy });
  /** Answers each question with the next addresses. */
  const resolving = (...addresses: readonly (readonly string[])[]) => {
    const names: string[] = [];
    const resolve: NonNullable<DownloadOptions['resolve']> = (name, _, callback) => {
      const found = addresses[names.push(name) - 1] ?? [];
      callback(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
    return { names, resolve };
  };

  test('of this machine are not asked for what another server names', async () => {
    for (const namedBy of ['public', 'private'] as const) {
      await expect(ask(namedBy)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
      await expect(ask(namedBy, origin.replace('127.0.0.1', 'localhost'))).rejects.toMatchObject({
        code: 'ADDRESS_NOT_ALLOWED',
      });
    }
    expect(asked).toEqual([]);
    // Controls: the user names it, or a server of this machine.
    expect(String((await ask('user')).bytes)).toBe(messages);
    expect((await ask('loopback')).origin).toBe('loopback');
    expect(asked).toHaveLength(2);
  });

  test('of names are resolved once for a request, and the checked one is used', async () => {
    const { port } = new URL(origin);
    const { names, resolve } = resolving(['169.254.169.254', '127.0.0.1'], ['169.254.169.254']);
    const url = `http://shop.example:${port}/xsd/messages.xsd`;
    const options = { ...limits, namedBy: 'user' as const, resolve };
    expect(String((await download(url, options)).bytes)).toBe(messages);
    expect(names).toEqual(['shop.example']);
    await expect(download(url, options)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    expect(asked).toHaveLength(1);
  });

  test('of names that a document has are checked, too, and after a redirection', async () => {
    const { port } = new URL(origin);
    const importing = async (location: string, ...addresses: readonly (readonly string[])[]) => {
      answers['/shop?wsdl'] = wsdl(location);
      const { names, resolve } = resolving(...addresses);
      const { findings } = await importWsdl(`${origin}/shop?wsdl`, { allowNetwork: true, resolve }).catch(
        (thrown: Unread) => thrown,
      );
      return { names, refused: findings.flatMap(({ text }) => /it is private/.exec(text) ?? []) };
    };
    const internal = `http://intranet.example:${port}/xsd/messages.xsd`;
    expect(await importing(internal, ['10.0.0.1'])).toEqual({
      names: ['intranet.example'],
      refused: ['it is private'],
    });
    answers['/moved.xsd'] = (_, response) => response.writeHead(307, { Location: internal }).end();
    expect(await importing('/moved.xsd', ['192.168.1.1', 'fe80::1'])).toMatchObject({ refused: ['it is private'] });
    // Control: the name leads to the server itself.
    expect(await importing('/moved.xsd', ['127.0.0.1'], ['127.0.0.1'])).toMatchObject({ refused: [] });
  });
});
