/** Large values at the paths that an OpenAPI document has: they are passed on as they are, and reach callers in SOAP and FORM. */
import { Buffer } from 'node:buffer';
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { RunningGateway } from '../../src/program/api/index.ts';
import {
  digestOfPieces,
  type FileBody,
  formOf,
  formType,
  jsonOf,
  openFilesGateway,
  type ReceivedFile,
  sendFile,
  startFileServer,
} from '../support/large-own-paths.ts';
import { bytesOf, digestOfSeed, openFilesIn } from '../support/large-values.ts';
import { isNightly } from '../support/nightly.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const megabyte = 1_048_576;
/** In MiB: longer than a body may be in memory. */
const large = isNightly ? 40 : 17;
const work = tempFolder({ onDisk: true });
const folder = mkdtempSync(join(work.path, 'spool-'));
const opened: RunningGateway[] = [];
const done: () => FileBody = () => ({ contentType: 'application/json', pieces: [Buffer.from('{"done":true}')] });
let answerOf = done;
let server: Awaited<ReturnType<typeof startFileServer>>;

beforeAll(async () => {
  server = await startFileServer(() => answerOf());
});
beforeEach(() => {
  answerOf = done;
  server.received.length = 0;
});
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.close();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  work.discard();
});

/** What is left in memory is far smaller than the values. */
async function open(settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const gateway = await openFilesGateway(server.url, { SPOOL_DIR: folder, ...settings });
  opened.push(gateway);
  return (await gateway.listen()).origin;
}

const nothingLeft = async () => {
  await until('the temporary files are closed', () => openFilesIn(folder) === 0);
  expect(readdirSync(folder)).toEqual([]);
};

const file = (megabytes: number) => bytesOf(1, megabytes * megabyte + 1);
const octets = 'application/octet-stream';

describe('at its own path', () => {
  test.each([
    ['a form', '/form', formType, formOf, 2],
    ['a body of bytes', '/blob', octets, (pieces: Iterable<Buffer>) => pieces, 2],
    ['JSON', '/json', 'application/json', jsonOf, 2],
    ['a form', '/form', formType, formOf, large],
    ['a body of bytes', '/blob', octets, (pieces: Iterable<Buffer>) => pieces, large],
    ['JSON', '/json', 'application/json', jsonOf, large],
  ] as const)('%s at %s arrives as it was sent, through a file', async (_, path, contentType, around, megabytes) => {
    if (path === '/blob') answerOf = () => ({ contentType: octets, pieces: bytesOf(2, megabyte) });
    const origin = await open();
    const sent = { contentType, pieces: around(file(megabytes)) };
    expect(await sendFile(`${origin}/api${path}`, sent)).toMatchObject({ status: 200 });
    expect(server.received).toMatchObject([digestOfPieces(around(file(megabytes)))]);
    const { headers } = server.received[0]!;
    expect([headers['content-type'], headers['transfer-encoding']]).toEqual([contentType, undefined]);
    await nothingLeft();
    // The control: the value is in a file, for which there is no space.
    const full = await open({ SPOOL_BYTES_MAX: '1000000' });
    const again = { contentType, pieces: around(file(megabytes)) };
    expect(await sendFile(`${full}/api${path}`, again)).toMatchObject({ status: 503 });
    expect(server.received).toHaveLength(1);
  });

  test('a compressed form is inflated on its way', async () => {
    const origin = await open();
    const form = Buffer.concat([...formOf(file(1))]);
    const sent = { contentType: formType, pieces: [gzipSync(form)] };
    expect(await sendFile(`${origin}/api/form`, sent, { 'content-encoding': 'gzip' })).toMatchObject({ status: 200 });
    expect(server.received).toMatchObject([digestOfPieces([form])]);
  });

  test.each([
    ['bytes', '/blob', octets, () => bytesOf(2, 3 * megabyte)],
    ['JSON', '/json', 'application/json', () => jsonOf(bytesOf(2, 3 * megabyte))],
  ] as const)('an answer of %s arrives as it was sent, through a file', async (_, path, contentType, pieces) => {
    answerOf = () => ({ contentType, pieces: pieces() });
    const origin = await open();
    const sent = { contentType, pieces: path === '/blob' ? [Buffer.from('x')] : [Buffer.from('{}')] };
    const answer = await sendFile(`${origin}/api${path}`, sent);
    expect(answer).toMatchObject({ status: 200, ...digestOfPieces(pieces()) });
    expect(answer.headers['content-type']).toBe(contentType);
    await nothingLeft();
    const full = await open({ SPOOL_BYTES_MAX: '1000000' });
    expect((await sendFile(`${full}/api${path}`, sent)).status).toBe(502);
  });

  test('escapes of base64 in JSON are the same value, and line breaks in it stay', async () => {
    const origin = await open();
    const base64 = Buffer.concat([...file(1)]).toString('base64');
    const broken = base64.replace(/.{76}/g, '$&\\n');
    const lines = JSON.stringify({ other: 1 }).replace('1', `"${broken}"`);
    for (const text of [`{"data":"${base64.replaceAll('/', '\\/')}"}`, lines]) {
      const sent = { contentType: 'application/json', pieces: [Buffer.from(text)] };
      expect(await sendFile(`${origin}/api/json`, sent)).toMatchObject({ status: 200 });
    }
    expect(server.received).toMatchObject([
      digestOfPieces([Buffer.from(`{"data":"${base64}"}`)]),
      digestOfPieces([Buffer.from(lines)]),
    ]);
  });

  test('texts stay in memory, however long they are', async () => {
    const origin = await open({ SPOOL_BYTES_MAX: '1000' });
    const text = Buffer.alloc(400_000, 'A');
    expect(await sendFile(`${origin}/api/text`, { contentType: 'text/plain', pieces: [text] })).toMatchObject({
      status: 200,
    });
    const part = (name: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\n\r\n${value}\r\n`;
    const form = Buffer.from(`${part('note', text.toString())}${part('file', 'x')}--b--\r\n`);
    const sent = { contentType: 'multipart/form-data; boundary=b', pieces: [form] };
    expect(await sendFile(`${origin}/api/form`, sent)).toMatchObject({ status: 200 });
    expect(server.received).toMatchObject([digestOfPieces([text]), digestOfPieces([form])]);
  });

  test('a token that a caller writes is a value like any other', async () => {
    const origin = await open();
    const token = `_spooled_${'abcdefghijklmnop'.repeat(2)}_`;
    for (const [path, contentType, body] of [
      ['/blob', octets, token],
      ['/form', formType, Buffer.concat([...formOf([Buffer.from(token)])]).toString()],
    ] as const) {
      const sent = { contentType, pieces: [Buffer.from(body)] };
      await sendFile(`${origin}/api${path}`, sent);
      expect(server.received.at(-1)).toMatchObject(digestOfPieces([Buffer.from(body)]));
    }
  });

  test('a key knows the same file in another format', async () => {
    const origin = await open();
    const key = { 'idempotency-key': 'one' };
    const sent = { contentType: formType, pieces: formOf(file(1)) };
    expect(await sendFile(`${origin}/api/form`, sent, key)).toMatchObject({ status: 200 });
    const data = Buffer.concat([...file(1)]).toString('base64');
    const input = { note: 'a note', file: data, more: [Buffer.from('short').toString('base64')] };
    const named = { contentType: 'application/json', pieces: [Buffer.from(JSON.stringify(input))] };
    const retried = await sendFile(`${origin}/Files/v1/sendForm`, named, key);
    expect(retried).toMatchObject({ status: 200, text: '{"done":true}' });
    expect(server.received).toHaveLength(1);
    // The control: another file is another request.
    const other = { contentType: formType, pieces: formOf(bytesOf(3, megabyte + 1)) };
    expect(await sendFile(`${origin}/api/form`, other, key)).toMatchObject({ status: 422 });
  });
});

describe('by name', () => {
  const soap = function* (element: string, inner: string, pieces: Iterable<Buffer>): Generator<Buffer> {
    yield Buffer.from(
      `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><${element} xmlns="urn:openapi:files"><${inner}>`,
    );
    for (const piece of pieces) yield Buffer.from(piece.toString('base64'));
    yield Buffer.from(`</${inner}></${element}></s:Body></s:Envelope>`);
  };

  test.each([2, large])('a SOAP caller sends and gets bytes: %i MiB', async (megabytes) => {
    answerOf = () => ({ contentType: octets, pieces: bytesOf(2, megabytes * megabyte) });
    const origin = await open();
    const sent = { contentType: 'text/xml', pieces: soap('sendBlob', 'body', file(megabytes)) };
    const answer = await sendFile(`${origin}/Files/v1`, sent);
    expect(answer.status).toBe(200);
    expect(answer.length).toBeGreaterThan((megabytes * megabyte * 4) / 3);
    expect(server.received).toMatchObject([digestOfSeed(1, megabytes * megabyte + 1)]);
    expect(server.received[0]!.headers['content-length']).toBe(String(megabytes * megabyte + 1));
    await nothingLeft();
    const full = await open({ SPOOL_BYTES_MAX: '1000000' });
    const again = { ...sent, pieces: soap('sendBlob', 'body', file(2)) };
    expect((await sendFile(`${full}/Files/v1`, again)).status).toBe(503);
    expect(server.received).toHaveLength(1);
  });

  test('a SOAP caller sends a file in a form, and a FORM caller one in JSON', async () => {
    const origin = await open();
    const sent = { contentType: 'text/xml', pieces: soap('sendForm', 'file', file(2)) };
    expect(await sendFile(`${origin}/Files/v1`, sent)).toMatchObject({ status: 200 });
    const [{ headers, start }] = server.received as [ReceivedFile];
    expect(headers['content-type']).toMatch(/^multipart\/form-data/);
    expect(headers['content-length']).toBe(String(start.length));
    expect(start.includes(Buffer.concat([...file(2)]))).toBe(true);
    const data = Buffer.concat([...file(1)]).toString('base64');
    const pieces = [Buffer.from(`data=${encodeURIComponent(data)}&note=n`)];
    const form = { contentType: 'application/x-www-form-urlencoded', pieces };
    expect(await sendFile(`${origin}/Files/v1/sendJson`, form)).toMatchObject({ status: 200 });
    expect(server.received.at(-1)!.start.toString()).toBe(`{"note":"n","data":"${data}"}`);
  });

  test('bytes in JSON in a part of a form are base64 there', async () => {
    const origin = await open();
    const data = Buffer.concat([...file(1)]).toString('base64');
    const input = { file: 'AA==', inner: { data } };
    const sent = { contentType: 'application/json', pieces: [Buffer.from(JSON.stringify(input))] };
    expect(await sendFile(`${origin}/Files/v1/sendForm`, sent)).toMatchObject({ status: 200 });
    expect(server.received[0]!.start.toString('latin1')).toContain(`{"data":"${data}"}`);
  });
});
