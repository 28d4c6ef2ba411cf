/** Bytes through a gateway: one request in every form, answers of a server with attachments, and limits. */
import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readRelated } from '../../src/core/formats/multipart.ts';
import { service as declare } from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';

interface Received {
  readonly type: string;
  readonly body: Buffer;
}

let server: Server;
let gateway: RunningGateway;
let url: string;
/** The next answer of the server. */
let answer: Received;
const received: Received[] = [];

const envelope = (content: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${content}</s:Body></s:Envelope>`;
const related = (
  root: string,
  parts: readonly (readonly [id: string, content: string | Buffer])[],
  type = 'text/xml',
): Received => ({
  type: `multipart/related; type="${type}"; boundary=p-1`,
  body: Buffer.concat([
    Buffer.from(`--p-1\r\nContent-Type: ${type === 'text/xml' ? type : `${type}; type="text/xml"`}\r\n\r\n${root}`),
    ...parts.flatMap(([id, content]) => [
      Buffer.from(`\r\n--p-1\r\nContent-Type: image/png\r\nContent-ID: <${id}>\r\n\r\n`),
      Buffer.from(content),
    ]),
    Buffer.from('\r\n--p-1--\r\n'),
  ]),
});
const include = (id: string) => `<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:${id}"/>`;
const kept = envelope('<a:KeepResponse xmlns:a="urn:archive"><a:Bytes>3</a:Bytes></a:KeepResponse>');

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    received.push({ type: request.headers['content-type'] ?? '', body: await bodyOf(request) });
    response.writeHead(200, { 'Content-Type': answer.type }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { services } = await importWsdl(join(import.meta.dirname, '../wsdl/attachments.wsdl'), { allowNetwork: false });
  const { service } = services[0]!;
  gateway = await createGateway({
    services: [declare({ ...service, operations: [...service.operations.values()] }).answeredBy('archive')],
    upstreams: {
      archive: {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
        format: 'soap11',
        credentials: 'forward',
        singleAddress: true,
      },
    },
    settings: { LOG_LEVEL: 'silent', BODY_BYTES_MAX: '1000000' },
  });
  url = `${(await gateway.listen()).origin}/archive/v1`;
});
afterAll(async () => {
  await gateway.close();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  received.length = 0;
  answer = { type: 'text/xml', body: Buffer.from(kept) };
});

async function send(path: string, type: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url + path, { method: 'POST', headers: { 'content-type': type, ...headers }, body });
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: bytes.toString('latin1'),
    bytes,
  };
}
const sendParts = ({ type, body }: Received, headers: Readonly<Record<string, string>> = {}) =>
  send('', type, body, headers);

const scan = Buffer.from([0, 13, 10, 45, 45, 98, 255]);
const base64 = scan.toString('base64');
const keep = (content: string, more = '') =>
  envelope(`<Keep xmlns="urn:archive"><Name>n</Name><Scan>${content}</Scan>${more}</Keep>`);

const keepInJson = JSON.stringify({ Name: 'n', Scan: base64 });

describe('one request', () => {
  const forms = (): readonly (readonly [string, string, string | Buffer])[] => {
    const mtom = related(keep(include('a')), [['a', scan]], 'application/xop+xml');
    const swa = related(envelope('<Keep xmlns="urn:archive"><Name>n</Name><Scan href="cid:a"/></Keep>'), [['a', scan]]);
    return [
      ['', mtom.type, mtom.body],
      ['', swa.type, swa.body],
      ['', 'text/xml', keep(base64)],
      ['/Keep', 'application/json', JSON.stringify({ Name: 'n', Scan: base64 })],
      ['/Keep', 'application/x-www-form-urlencoded', new URLSearchParams({ Name: 'n', Scan: base64 }).toString()],
    ];
  };

  test('in MTOM, SwA, base64, JSON and FORM is the same: a retry in another form is answered, and not sent again', async () => {
    const headers = { 'idempotency-key': 'one-in-five-forms' };
    for (const [path, type, body] of forms())
      expect(await send(path, type, body, headers)).toMatchObject({ status: 200 });
    expect(received).toHaveLength(1);
    // The control: other bytes are another request.
    const other = related(keep(include('a')), [['a', 'other']], 'application/xop+xml');
    expect(await sendParts(other, headers)).toMatchObject({ status: 500, text: expect.stringContaining('704') });
    expect(received).toHaveLength(1);
  });

  test('reaches a server that demands MTOM in MTOM, whatever its caller sent', async () => {
    for (const [path, type, body] of forms()) await send(path, type, body);
    expect(received).toHaveLength(5);
    for (const { type, body } of received) {
      expect(type).toMatch(/^multipart\/related; type="application\/xop\+xml"/);
      const { attachments, body: root } = readRelated(body, type);
      expect(attachments.parts.map(({ bytes }) => bytes)).toEqual([scan]);
      expect(root.toString()).toMatch(/<Scan><xop:Include xmlns:xop="[^"]+" href="cid:[^"]+"\/><\/Scan>/);
    }
  });
});

describe('an answer with a part', () => {
  const copy = (content: string) =>
    envelope(`<a:KeepResponse xmlns:a="urn:archive"><a:Bytes>7</a:Bytes><a:Copy>${content}</a:Copy></a:KeepResponse>`);

  test('is base64 in JSON, FORM and SOAP, and a part for callers that send MTOM', async () => {
    answer = related(copy(include('c')), [['c', scan]], 'application/xop+xml');
    expect(JSON.parse((await send('/Keep', 'application/json', keepInJson)).text)).toEqual({
      Bytes: 7,
      Copy: base64,
    });
    expect(
      (await send('/Keep', 'application/x-www-form-urlencoded', `Name=n&Scan=${encodeURIComponent(base64)}`)).text,
    ).toBe(`Bytes=7&Copy=${encodeURIComponent(base64)}`);
    expect((await send('', 'text/xml', keep(base64))).text).toContain(`<Copy>${base64}</Copy>`);
    const { type, bytes } = await sendParts(related(keep(base64), [], 'application/xop+xml'));
    expect(readRelated(bytes, type).attachments).toMatchObject({ isXop: true, parts: [{ bytes: scan }] });
  });

  test('to which nothing refers is refused, and nothing is said of its content', async () => {
    answer = related(kept, [['lost@x', 'secret']]);
    const { status, text } = await send('/Keep', 'application/json', keepInJson);
    expect([status, text]).toEqual([502, expect.not.stringContaining('secret')]);
    // The control: without the part it is an answer.
    answer = { type: 'text/xml', body: Buffer.from(kept) };
    expect(await send('/Keep', 'application/json', keepInJson)).toMatchObject({ status: 200 });
  });

  test('that is larger than its field says so', async () => {
    answer = related(copy(include('c')), [['c', Buffer.alloc(104_857_601)]], 'application/xop+xml');
    const headers = { 'idempotency-key': 'too-large' };
    const { status, text } = await send('/Keep', 'application/json', keepInJson, headers);
    expect([status, text]).toEqual([502, expect.stringContaining('its answer is larger than the gateway accepts')]);
    answer = related(copy(include('c')), [['c', Buffer.alloc(10_485_760)]], 'application/xop+xml');
    expect((await send('/Keep', 'application/json', keepInJson)).text).toHaveLength(
      13_981_014 + '{"Bytes":7,"Copy":""}'.length + 2,
    );
  });
});

describe('parts of their own', () => {
  const mail = envelope('<Mail xmlns="urn:archive"><To>t</To></Mail>');

  test('go to the server and come back by their names', async () => {
    answer = related(envelope('<a:MailResponse xmlns:a="urn:archive"/>'), [['receipt=1@x', 'paid']]);
    const [photo, text] = [base64, Buffer.from('hello').toString('base64')];
    const { text: json } = await send('/Mail', 'application/json', JSON.stringify({ To: 't', photo, text }));
    expect(JSON.parse(json)).toEqual({ receipt: Buffer.from('paid').toString('base64') });
    const [{ type, body }] = received as [Received];
    const { parts } = readRelated(body, type).attachments;
    expect(parts.map(({ contentId, bytes }) => [contentId.replace(/=.*/, ''), bytes.toString('latin1')])).toEqual([
      ['photo', scan.toString('latin1')],
      ['text', 'hello'],
    ]);
    expect(body.toString('latin1')).toContain('Content-Type: text/plain\r\n');
    const answered = await sendParts(
      related(mail, [
        ['a', scan],
        ['b', 'hello'],
      ]),
    );
    expect(readRelated(answered.bytes, answered.type).attachments).toMatchObject({
      isXop: false,
      parts: [{ bytes: Buffer.from('paid') }],
    });
  });

  test('one that the contract does not have is refused before anything is sent', async () => {
    const three = related(mail, [
      ['a', 'x'],
      ['b', 'x'],
      ['c', 'x'],
    ]);
    expect(await sendParts(three)).toMatchObject({
      status: 500,
      text: expect.stringContaining('attachment without a reference to it'),
    });
    expect(received).toHaveLength(0);
  });
});

describe('a reference by Content-Location', () => {
  const located = (href: string, locations: readonly string[], base = '') => ({
    type: 'multipart/related; type="text/xml"; boundary=p-1',
    body: Buffer.from(
      `--p-1\r\nContent-Type: text/xml\r\n${base && `Content-Location: ${base}\r\n`}\r\n` +
        envelope(`<Keep xmlns="urn:archive"><Name>n</Name><Scan href="${href}"/></Keep>`) +
        locations
          .map((each) => `\r\n--p-1\r\nContent-Type: image/png\r\nContent-Location: ${each}\r\n\r\nscan`)
          .join('') +
        '\r\n--p-1--\r\n',
    ),
  });

  test.each([
    ['an absolute one', located('http://x.example/scan.png', ['http://x.example/scan.png'])],
    ['a relative one', located('scan.png', ['scan.png'])],
    [
      'one relative to the envelope',
      located('scan.png', ['http://x.example/a/scan.png'], 'http://x.example/a/claim.xml'),
    ],
  ])('%s is the part', async (_, request) => {
    expect(await sendParts(request)).toMatchObject({ status: 200 });
    const [{ type, body }] = received as [Received];
    expect(readRelated(body, type).attachments.parts.map(({ bytes }) => bytes.toString())).toEqual(['scan']);
  });

  test.each([
    ['another location', located('http://x.example/other.png', ['http://x.example/scan.png'])],
    ['two parts of one location', located('scan.png', ['scan.png', 'scan.png'])],
    ['a location of this server', located('/archive/v1?wsdl', ['scan.png'])],
  ])('the control: %s is refused, and nothing is fetched or sent', async (_, request) => {
    expect((await sendParts(request)).status).toBe(500);
    expect(received).toHaveLength(0);
  });
});

test('a body beyond the limit is refused before it is read', async () => {
  const large = related(keep(include('a')), [['a', Buffer.alloc(1_000_000)]], 'application/xop+xml');
  expect((await sendParts(large)).text).toContain('Request larger than the maximum of 1000000 bytes');
  expect(received).toHaveLength(0);
});
