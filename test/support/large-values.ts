/** Large values as callers and servers send and read them: piece by piece, in each form of a message. */
import { Buffer } from 'node:buffer';
import { createCipheriv, createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { binary, defineProblems, object, operation, optional, service } from '../../src/program/api/contract.ts';

/** How a message has its bytes: `mtom` and `swa` beside the envelope, `soap` in base64 in it. */
export type Form = 'mtom' | 'swa' | 'soap' | 'json' | 'form';

export interface Digest {
  readonly length: number;
  readonly sha256: string;
}

const valueBytesMax = 1_073_741_824;
const data = optional(binary({ max: valueBytesMax, example: 'AA==' }), '');
const attached = optional(binary({ max: valueBytesMax, attached: 'href', example: 'AA==' }), '');
const echo = operation({
  ...{ name: 'echo', role: 'files', problems: [], doc: '', effect: 'writes' },
  input: object('EchoRequest', { data }),
  output: object('EchoResult', { data }),
});
/** A read may be sent again. */
const find = operation({
  ...{ name: 'find', role: 'files', problems: [], doc: '', effect: 'reads' },
  input: object('FindRequest', { data }),
  output: object('FindResult', { data }),
});
/** Its bytes are always a part in SOAP. */
const attach = operation({
  ...{ name: 'attach', role: 'files', problems: [], doc: '', effect: 'writes' },
  input: object('AttachRequest', { data: attached }),
  output: object('AttachResult', { data: attached }),
});

export const files = service({
  ...{ name: 'Files', version: 1, doc: '', roles: ['files'], answers: { from: 1, to: 1 }, address: '/files' },
  namespaces: { own: 'f', uris: { f: 'urn:f' } },
  soapStyle: 'wrapped',
  problems: defineProblems({}),
  operations: [echo, find, attach],
});

const zeros = Buffer.alloc(49_152);

/** Bytes that no other seed and no compression would give. */
export function* bytesOf(seed: number, length: number): Generator<Buffer> {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16));
  for (let at = 0; at < length; at += zeros.length) yield cipher.update(zeros.subarray(0, length - at));
}

const digests = new Map<string, Digest>();

/** The digest of the bytes of a seed. */
export function digestOfSeed(seed: number, length: number): Digest {
  const known = digests.get(`${seed} ${length}`);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  for (const piece of bytesOf(seed, length)) hash.update(piece);
  const digest = { length, sha256: hash.digest('hex') };
  digests.set(`${seed} ${length}`, digest);
  return digest;
}

export const boundary = 'p-1';
const contentTypes: Readonly<Record<Form, string>> = {
  mtom: `multipart/related; type="application/xop+xml"; start-info="text/xml"; boundary=${boundary}`,
  swa: `multipart/related; type="text/xml"; boundary=${boundary}`,
  soap: 'text/xml;charset=utf-8',
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
};

/** The Content-Type of a message in a form. */
export function contentTypeOf(form: Form): string {
  return contentTypes[form];
}

/** What is around the bytes of a message. `element`: the name of its element. */
export function aroundBytes(form: Form, element: string): readonly [before: string, after: string] {
  const envelope = (content: string) =>
    `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><f:${element} xmlns:f="urn:f">${content}</f:${element}></s:Body></s:Envelope>`;
  const parts = (type: string, content: string) =>
    `--${boundary}\r\nContent-Type: ${type}\r\n\r\n${envelope(content)}\r\n--${boundary}\r\nContent-Type: application/octet-stream\r\nContent-ID: <a>\r\n\r\n`;
  switch (form) {
    case 'mtom':
      return [
        parts(
          'application/xop+xml; type="text/xml"',
          '<f:data><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:a"/></f:data>',
        ),
        `\r\n--${boundary}--\r\n`,
      ];
    case 'swa':
      return [parts('text/xml', '<f:data href="cid:a"/>'), `\r\n--${boundary}--\r\n`];
    case 'soap': {
      const [before = '', after = ''] = envelope('<f:data>|</f:data>').split('|');
      return [before, after];
    }
    case 'json':
      return ['{"data":"', '"}'];
    case 'form':
      return ['data=', ''];
    default:
      return form satisfies never;
  }
}

/** The message of a seed, in pieces. */
export function* messageOf(form: Form, element: string, seed: number, length: number): Generator<Buffer> {
  const [before, after] = aroundBytes(form, element);
  yield Buffer.from(before);
  for (const piece of bytesOf(seed, length)) yield notation(form, piece);
  yield Buffer.from(after);
}

function notation(form: Form, piece: Buffer): Buffer {
  if (form === 'mtom' || form === 'swa') return piece;
  const base64 = piece.toString('base64');
  return Buffer.from(form === 'form' ? encodeURIComponent(base64) : base64);
}

/** The digest of the bytes that a message has. Nothing of it is kept. */
export async function digestOfMessage(message: AsyncIterable<Buffer>, contentType: string): Promise<Digest> {
  const [, mark] = /boundary="?([^";]+)/.exec(contentType) ?? [];
  const isForm = contentType.startsWith('application/x-www-form');
  const before =
    mark !== undefined ? /content-id: <(?!envelope)[^>]+>\r\n\r\n/i : isForm ? /data=/ : /<(?:\w+:)?data>|"data":"/;
  const after =
    mark !== undefined ? Buffer.from(`\r\n--${mark}`) : Buffer.from(isForm ? '&' : /xml/.test(contentType) ? '<' : '"');
  const hash = createHash('sha256');
  let length = 0;
  let characters = '';
  let rest: Buffer = Buffer.alloc(0);
  let state: 'before' | 'bytes' | 'after' = 'before';
  const add = (bytes: Buffer): void => {
    hash.update(bytes);
    length += bytes.length;
  };
  const take = (bytes: Buffer): void => {
    if (mark !== undefined) {
      add(bytes);
      return;
    }
    characters += bytes.toString('latin1').replace(/\s+/g, '');
    const open = isForm ? characters.slice(-2).indexOf('%') : -1;
    const end = open < 0 ? characters.length : characters.length - 2 + open;
    const text = characters
      .slice(0, end)
      .replace(/%([\dA-F]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    const whole = text.length - (text.length % 4);
    add(Buffer.from(text.slice(0, whole), 'base64'));
    characters = text.slice(whole) + characters.slice(end);
  };
  for await (const chunk of message) {
    rest = Buffer.concat([rest, chunk]);
    if (state === 'before') {
      const found = before.exec(rest.toString('latin1', 0, 8_192));
      if (found === null) continue;
      rest = rest.subarray(found.index + found[0].length);
      state = 'bytes';
    }
    if (state === 'after') continue;
    const at = rest.indexOf(after);
    const end = at >= 0 ? at : Math.max(0, rest.length - after.length);
    take(rest.subarray(0, end));
    rest = rest.subarray(end);
    if (at >= 0) state = 'after';
  }
  if (state === 'bytes') take(rest);
  return { length, sha256: hash.digest('hex') };
}

export interface EchoServer {
  readonly url: string;
  /** The digests of what it got, and the heads of the requests. */
  readonly received: (Digest & { readonly headers: IncomingMessage['headers'] })[];
  /** How it answers. */
  answer: { form: Form; seed: number; length: number; operation?: OperationName; cutAfter?: number | undefined };
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server that reads the bytes of each request as they come, and sends those of `answer`. */
export async function startEchoServer(
  create: (listener: Parameters<typeof createServer>[1] & {}) => ReturnType<typeof createServer> = createServer,
): Promise<EchoServer> {
  const received: EchoServer['received'] = [];
  const server = create(async (request, response) => {
    const { headers } = request;
    const type = headers['content-type'] ?? '';
    try {
      received.push({ ...(await digestOfMessage(request, type)), headers });
    } catch {
      return;
    }
    const { form, seed, length, operation: name = 'echo', cutAfter } = echoServer.answer;
    // The next answer is whole.
    echoServer.answer.cutAfter = undefined;
    response.writeHead(200, { 'Content-Type': contentTypeOf(form) });
    const cut = function* () {
      let sent = 0;
      for (const piece of messageOf(form, `${name}Response`, seed, length)) {
        yield piece;
        sent += piece.length;
        if (cutAfter !== undefined && sent > cutAfter) throw new Error('cut');
      }
    };
    await pipeline(Readable.from(cut()), response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const protocol = create === createServer ? 'http' : 'https';
  const echoServer: EchoServer = {
    url: `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    answer: { form: 'soap', seed: 2, length: 1 },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
    [Symbol.asyncDispose]: () => echoServer.close(),
  };
  return echoServer;
}

/** Counts the files of a folder that a process has open. They have no name in the folder. */
export function openFilesIn(folder: string, pid: number | 'self' = 'self'): number {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return links.filter((link) => link.startsWith(`${folder}/`)).length;
}

export type OperationName = 'echo' | 'find' | 'attach';

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the message of the seed. */
  readonly body?: Iterable<Buffer>;
}

export interface Called extends Digest {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Of an answer without bytes. */
  readonly text: string;
}

/** Calls a gateway in a form, and reads the bytes of the answer. */
export async function call(
  origin: string,
  [form, name]: readonly [form: Form, operation: OperationName],
  [seed, length]: readonly [seed: number, length: number],
  { headers = {}, body = messageOf(form, name, seed, length) }: CallOptions = {},
): Promise<Called> {
  const isNamed = form === 'json' || form === 'form';
  const outgoing = send(`${origin}/files/v1${isNamed ? `/${name}` : ''}`, {
    method: 'POST',
    headers: { 'content-type': contentTypeOf(form), ...headers },
    agent: false,
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  const sent = pipeline(Readable.from(body), outgoing).catch(() => {});
  const [response] = await answered;
  const { statusCode: status = 0 } = response;
  if (status !== 200) {
    let text = '';
    for await (const chunk of response as AsyncIterable<Buffer>) text += chunk.toString();
    outgoing.destroy();
    return { status, headers: response.headers, text, length: 0, sha256: '' };
  }
  const digest = await digestOfMessage(response, response.headers['content-type'] ?? '');
  await sent;
  return { status, headers: response.headers, text: '', ...digest };
}
