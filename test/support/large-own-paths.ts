/** A service that takes and returns files, as an OpenAPI document describes it, and a server of it that keeps nothing. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { service as declare } from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import type { Digest } from './large-values.ts';
import { listenLocally } from './listen-locally.ts';
import { tempFolder } from './temp-folder.ts';

const bytes = { type: 'string', format: 'binary' };
const data = { type: 'object', properties: { note: { type: 'string' }, data: { type: 'string', format: 'byte' } } };
const content = (type: string, schema: unknown) => ({ content: { [type]: { schema } } });
const form = {
  type: 'object',
  required: ['file'],
  properties: { note: { type: 'string' }, file: bytes, more: { type: 'array', items: bytes }, inner: data },
};
const operation = (operationId: string, request: object, answer: object) => ({
  post: { operationId, requestBody: request, responses: { 200: { description: '', ...answer } } },
});
const done = content('application/json', { type: 'object', properties: { done: { type: 'boolean' } } });
const blob = content('application/octet-stream', bytes);
const json = content('application/json', data);

const document = {
  openapi: '3.0.3',
  info: { title: 'Files', version: '1' },
  servers: [{ url: 'https://files.example/api' }],
  paths: {
    '/form': operation('sendForm', content('multipart/form-data', form), done),
    '/blob': operation('sendBlob', blob, blob),
    '/json': operation('sendJson', json, json),
    '/text': operation('sendText', content('text/plain', { type: 'string' }), done),
  },
};

/** Memory is measured, and not time. */
export const unhurried = { headersMs: 240_000, bodyMs: 240_000, totalMs: 240_000 };

/** Starts a gateway in front of the server at a URL. */
export async function openFilesGateway(
  url: string,
  settings: Readonly<Record<string, string>>,
): Promise<RunningGateway> {
  const folder = tempFolder();
  const file = join(folder.path, 'files.json');
  writeFileSync(file, JSON.stringify(document));
  const { service } = await importOpenApi(file, { allowNetwork: false });
  folder.discard();
  return await createGateway({
    services: [declare({ ...service, operations: [...service.operations.values()] }).answeredBy('files')],
    upstreams: {
      files: { url, format: 'json', credentials: 'forward', responseBytesMax: 500_000_000, timeouts: unhurried },
    },
    settings: { LOG_LEVEL: 'silent', ...settings },
  });
}

/** A body, which is read once. */
export interface FileBody {
  readonly contentType: string;
  readonly pieces: Iterable<Buffer>;
}

export interface ReceivedFile extends Digest {
  /** The first bytes. */
  readonly start: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/** Starts a server that digests what it gets, and sends what `answerOf` returns. */
export async function startFileServer(answerOf: () => FileBody) {
  const received: ReceivedFile[] = [];
  const server = createServer(async (request, response) => {
    try {
      received.push({ ...(await digestOf(request)), headers: request.headers });
      const { contentType, pieces } = answerOf();
      response.writeHead(200, { 'content-type': contentType });
      await pipeline(Readable.from(pieces), response);
    } catch {
      response.destroy();
    }
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}/api`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sends a body, and returns the digest of the answer; its text where it is no success. */
export async function sendFile(
  url: string,
  { contentType, pieces }: FileBody,
  headers: Readonly<Record<string, string>> = {},
) {
  const outgoing = send(url, { method: 'POST', agent: false, headers: { 'content-type': contentType, ...headers } });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  const sent = pipeline(Readable.from(pieces), outgoing).catch(() => {});
  const [response] = await answered;
  const { statusCode: status = 0 } = response;
  const { start, ...digest } = await digestOf(response);
  if (status === 200) await sent;
  else outgoing.destroy();
  return { status, headers: response.headers, text: start.toString(), ...digest };
}

async function digestOf(message: AsyncIterable<Buffer>): Promise<Digest & { readonly start: Buffer }> {
  const kept: Buffer[] = [];
  const hash = createHash('sha256');
  let length = 0;
  for await (const piece of message) {
    hash.update(piece);
    length += piece.length;
    if (length < keptMax) kept.push(piece);
  }
  return { length, sha256: hash.digest('hex'), start: Buffer.concat(kept) };
}

const keptMax = 4_000_000;

/** The digest of pieces together. */
export function digestOfPieces(pieces: Iterable<Buffer>): Digest {
  const hash = createHash('sha256');
  let length = 0;
  for (const piece of pieces) {
    hash.update(piece);
    length += piece.length;
  }
  return { length, sha256: hash.digest('hex') };
}

const boundary = 'own-1';

/** A form with one file, around which others stand. */
export function* formOf(file: Iterable<Buffer>): Generator<Buffer> {
  const part = (head: string) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`;
  yield Buffer.from(`${part('name="note"')}a note\r\n${part('name="file"; filename="a.bin"')}`);
  yield* file;
  yield Buffer.from(`\r\n${part('filename=b.bin; name=more')}short\r\n--${boundary}--\r\n`);
}

export const formType = `multipart/form-data; boundary=${boundary}`;

/** An object with the bytes in base64. */
export function* jsonOf(file: Iterable<Buffer>): Generator<Buffer> {
  yield Buffer.from('{ "unknown": [1.50],\n "data" : "');
  for (const piece of file) yield Buffer.from(piece.toString('base64'));
  yield Buffer.from('" , "note":"n"}');
}
