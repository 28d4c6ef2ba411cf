/**
 * Operations of 100 documents, with bodies, headers, framings and cookies that no contract names, on both sides of a gateway. A server that reads no
 * body where HTTP gives it no meaning records bytes: each request that it executes is that of an operation, and no header is outside the lists.
 */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { bodyFieldsOf, type Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import type { Call } from '../../src/core/formats/protocol.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { service as declare } from '../../src/program/api/contract.ts';
import { createGateway } from '../../src/program/api/index.ts';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import { corpusOf } from '../support/corpus.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { tempFolder } from '../support/temp-folder.ts';

const documentsCount = 100;
const operationsPerDocument = 3;
const ofOthers = corpusOf('openapi');

/** What an attacker wants to have executed, or to have in a message. */
const canary = 'smuggled';
const forged = `DELETE /${canary} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n`;

const hostileNames = [
  ...[
    'Transfer-Encoding',
    'Content-Length',
    'Connection',
    'Keep-Alive',
    'Upgrade',
    'Trailer',
    'TE',
    'Proxy-Connection',
  ],
  ...['X-Accel-Redirect', 'X-Sendfile', 'X-Envoy-Upstream', 'X-Reproxy-URL', 'X-LIGHTTPD-send-file', 'constructor'],
];
const harmlessNames = ['Set-Cookie', 'X-Shop', 'ETag', 'X-Request-Id', 'Retry-After', 'Location', 'Vary', 'Link'];

/** The document of a number: another version of OpenAPI, other methods, places, bodies and headers for each. */
function documentOf(number: number): object {
  const pick = <T>(values: readonly T[], at: number): T => values[(number * 7 + at * 5) % values.length]!;
  const isSwagger = number % 3 === 2;
  const text = { type: 'string' };
  const shop = { type: 'object', properties: { id: text, count: { type: 'integer' } } };
  const types = [
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'multipart/form-data',
  ];
  const parameter = (name: string, location: string) =>
    isSwagger ? { name, in: location, type: 'string' } : { name, in: location, schema: text };
  const operation = (method: string, at: number) => {
    const hasBody = at % 2 === 0 && (method !== 'get' || number % 5 === 0);
    const headers = Object.fromEntries(
      [pick(hostileNames, at), pick(hostileNames, at + 1), pick(harmlessNames, at), pick(harmlessNames, at + 1)].map(
        (name) => [name, isSwagger ? text : { schema: text }],
      ),
    );
    const media = pick(types, at);
    const answered = isSwagger ? { schema: shop } : { content: { 'application/json': { schema: shop } } };
    const parameters = [
      { ...parameter('id', 'path'), required: true },
      parameter('q', 'query'),
      parameter(pick(['X-Trace', 'X-Request-Id', 'User-Agent', 'Transfer-Encoding', 'X-Forwarded-For'], at), 'header'),
      ...(isSwagger ? [] : [parameter('session', 'cookie')]),
      ...(isSwagger && hasBody ? [{ name: 'body', in: 'body', schema: shop }] : []),
    ];
    return {
      operationId: `${method}${at}`,
      parameters,
      ...(hasBody &&
        !isSwagger && { requestBody: { content: { [media]: { schema: /json|form/.test(media) ? shop : text } } } }),
      responses: { 200: { description: '', headers, ...(at % 4 !== 3 && answered) } },
    };
  };
  const methods = ['get', 'post', 'delete', 'put', 'patch', 'options'];
  const paths = Object.fromEntries(
    [0, 1, 2].map((at) => [`/m${at}/{id}`, { [pick(methods, at)]: operation(pick(methods, at), number + at) }]),
  );
  const info = { title: `Made ${number}`, version: '1' };
  return isSwagger ? { swagger: '2.0', info, paths } : { openapi: number % 2 ? '3.1.0' : '3.0.3', info, paths };
}

interface Message {
  /** The request line, or the status line. */
  readonly line: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

function headerOf({ headers }: Message, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1];
}

/** Reads one message of a text, and what is left behind it; undefined where it is not whole. `hasBody`: whether the reader looks at a body. */
function readMessage(text: string, hasBody: (message: Message) => boolean): [Message, string] | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((each): [string, string] => {
    const at = each.indexOf(':');
    return [each.slice(0, at).toLowerCase(), each.slice(at + 1).trim()];
  });
  const head = { line, headers, body: '' };
  const rest = text.slice(end + 4);
  if (!hasBody(head)) return [head, rest];
  if (headerOf(head, 'transfer-encoding') !== undefined) {
    const last = rest.indexOf('0\r\n\r\n');
    return last < 0 ? undefined : [{ ...head, body: rest.slice(0, last) }, rest.slice(last + 5)];
  }
  const length = Number(headerOf(head, 'content-length') ?? 0);
  return rest.length < length ? undefined : [{ ...head, body: rest.slice(0, length) }, rest.slice(length)];
}

const methodOf = ({ line }: Message): string => line.split(' ', 1)[0]!;
const readsBody = (message: Message): boolean => ['POST', 'PUT', 'PATCH'].includes(methodOf(message));
const isEnding = (message: Message): boolean => headerOf(message, 'connection') === 'close';

/** Executes what it takes for a request, as simple servers do. It sees the body of a GET only where the connection ends with it. */
class RecordingServer {
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<Socket>();
  executed: Message[] = [];
  /** What it answers with. */
  answer = '';

  async listen(): Promise<string> {
    return `http://127.0.0.1:${await listenLocally(this.#server)}`;
  }

  close(): void {
    for (const each of this.#sockets) each.destroy();
    this.#server.close();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (;;) {
        const read = readMessage(text, (message) => readsBody(message) || isEnding(message));
        if (read === undefined) return;
        text = read[1];
        this.executed.push(read[0]);
        socket.write(this.answer, 'latin1');
        if (isEnding(read[0]) || /^connection: close\r$/im.test(this.answer)) socket.end();
      }
    });
  }
}

const head = (lines: readonly string[]) => lines.map((each) => `${each}\r\n`).join('');
const answered = (lines: readonly string[], body: string, status = '200 OK') =>
  `HTTP/1.1 ${status}\r\n${head(lines)}Content-Length: ${body.length}\r\n\r\n${body}`;
const json = 'Content-Type: application/json';
const page = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const everyHeader = [
  ...hostileNames,
  ...harmlessNames,
  'Server',
  'Access-Control-Allow-Origin',
  'X-Undeclared',
  'Refresh',
];
const framingOrBody =
  /^(?:transfer-encoding|content-length|connection|te|trailer|upgrade|keep-alive|proxy-connection)$/i;

/** What a hostile server answers. `ok`: whether it is an answer of HTTP. */
const answers = [
  { ok: true, text: answered([json], '{"id":"1"}') },
  {
    ok: true,
    text: answered(
      [json, ...everyHeader.filter((name) => !framingOrBody.test(name)).map((name) => `${name}: 1`)],
      '{}',
    ),
  },
  {
    ok: true,
    text: answered(
      [json, 'Set-Cookie: a=1', 'Set-Cookie: b=2', 'X-Shop: \xe6\x97\xa5\xff', 'Keep-Alive: timeout=4'],
      '{}',
    ),
  },
  {
    ok: true,
    text: `HTTP/1.1 200 OK\r\n${json}\r\nTransfer-Encoding: chunked\r\nTrailer: X-Shop\r\n\r\n2\r\n{}\r\n0\r\nX-Shop: 1\r\n\r\n`,
  },
  { ok: true, text: answered(['Content-Type: image/svg+xml', 'X-Accel-Redirect: /x'], page, '404 Not Found') },
  { ok: true, text: answered([json, 'Connection: close, X-Shop', 'X-Shop: 1'], '{}') },
  { ok: true, text: `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${answered([json], '{}')}` },
  { ok: true, text: answered([json, 'Cache-Control: public, max-age=60', 'Vary: Accept-Language', 'ETag: "1"'], '{}') },
  { ok: true, text: answered([json], '{}') + answered([json, 'X-Shop: 2'], `{"id":"${canary}"}`) },
  { ok: true, text: 'HTTP/1.1 204 No Content\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n' },
  {
    ok: false,
    text: `HTTP/1.1 200 OK\r\n${json}\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  },
  { ok: false, text: answered([json, 'Content-Length: 3'], '{}') },
  { ok: false, text: answered([json, 'X-Shop: \x01\x7f'], '{}') },
  { ok: false, text: answered([json, 'X-Shop : 1'], '{}') },
] as const;

/** A call as its caller sends it. */
interface Sent {
  readonly call: Call;
  readonly method: string;
  /** At the gateway, and at the server. */
  readonly target: string;
  readonly targetBehind: string;
  readonly takesBody: boolean;
}

interface Framed {
  readonly headers: readonly string[];
  readonly body: string;
}
type Framing = (sent: Sent) => Framed;

const bodyOf = ({ call, takesBody }: Sent): string =>
  takesBody ? (call.bytes ?? Buffer.from(call.body)).toString('latin1') : '';
const withLength = (sent: Sent, body: string, ...headers: string[]) => ({
  headers: [
    ...headers,
    ...(body === '' ? [] : [`Content-Type: ${sent.call.contentType}`, `Content-Length: ${body.length}`]),
  ],
  body,
});
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

const framings: readonly Framing[] = [
  (sent) => withLength(sent, bodyOf(sent)),
  (sent) => withLength(sent, sent.takesBody ? bodyOf(sent) : forged),
  (sent) => ({
    headers: ['Content-Type: text/plain', 'Transfer-Encoding: chunked'],
    body: chunked(sent.takesBody ? '' : forged),
  }),
  (sent) =>
    withLength(
      sent,
      bodyOf(sent),
      ...['X-Forwarded-For: 6.6.6.6', 'Forwarded: for=6.6.6.6', 'Via: 1.1 evil', 'X-Real-IP: 6.6.6.6', 'TE: trailers'],
      ...[
        'Proxy-Authorization: x',
        'X-Accel-Redirect: /x',
        'X-Undeclared: 1',
        'Connection: close, X-Trace',
        'Cookie: other=1',
      ],
      ...['X-HTTP-Method-Override: DELETE', 'X-Original-URL: /admin', 'Range: bytes=0-1', 'Accept-Encoding: br'],
    ),
  (sent) => ({
    headers: ['Transfer-Encoding: chunked', 'Content-Length: 6'],
    body: `0\r\n\r\n${forged}${bodyOf(sent)}`,
  }),
  (sent) => ({ headers: ['Content-Length: 0', `Content-Length: ${forged.length}`], body: forged + bodyOf(sent) }),
  (sent) => withLength(sent, bodyOf(sent), 'X-Request-Id: a\r\n folded', 'X-Trace: b'),
];

/** The gateway reads on for a second, and drops what it reads. */
const unknownCoding: Framing = (sent) => ({ headers: ['Transfer-Encoding: x'], body: chunked(forged + bodyOf(sent)) });

/** Sends bytes, and reads until the gateway ends the connection. */
async function exchangeBytes(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  socket.write(text, 'latin1');
  await once(socket, 'close');
  return received;
}

const requestHeaders = [
  ...[
    'host',
    'connection',
    'user-agent',
    'accept',
    'content-type',
    'content-length',
    'x-request-id',
    'traceparent',
    'cookie',
  ],
  ...['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'],
];
const answerHeaders = [
  ...[
    'content-type',
    'x-content-type-options',
    'x-request-id',
    'content-length',
    'cache-control',
    'date',
    'connection',
    'allow',
  ],
  ...[
    'requestreference',
    'transient-error',
    'retry-after',
    'content-security-policy',
    'vary',
    'etag',
    'link',
    'location',
  ],
];

function namesOf(message: Message, allowed: readonly string[]): readonly string[] {
  const names = message.headers.map(([name]) => name);
  const outside = names.filter((name) => !allowed.includes(name)).map((name) => `the header ${name}`);
  const twice = names
    .filter((name, at) => name !== 'set-cookie' && names.indexOf(name) !== at)
    .map((name) => `${name} twice`);
  return [...outside, ...twice];
}

/** What is wrong with the requests that the server has executed for one call. A read is sent again where its answer is none. */
function faultsOfRequests(executed: readonly Message[], operation: Operation, sent: Sent): readonly string[] {
  const parameters = Object.entries(operation.upstream?.parameters ?? {});
  const own = parameters.flatMap(([field, { in: location, name = field }]) =>
    location === 'header' ? [name.toLowerCase()] : [],
  );
  return executed.flatMap((message) => [
    ...(message.line === `${sent.method} ${sent.targetBehind} HTTP/1.1` ? [] : [`the request ${message.line}`]),
    ...namesOf(message, [...requestHeaders, ...own]),
    ...(sent.takesBody || message.body === '' ? [] : ['a body that the operation does not have']),
    ...(message.headers.some(([name, value]) => value.includes('6.6.6.6') && !own.includes(name))
      ? ['a forged address']
      : []),
  ]);
}

const hostile =
  /^(?:x-(?:accel|sendfile|envoy|reproxy|lighttpd).*|te|trailer|transfer-encoding|upgrade|keep-alive|proxy-.*)$/;

/** What is wrong with what a caller has received. `answer`: of the server. */
function faultsOfAnswer(received: string, operation: Operation, sent: Sent, answer: string): readonly string[] {
  const declared = Object.values(operation.upstream?.answer?.headers ?? {}).map((name) => name.toLowerCase());
  // A head that cannot be parsed has no method.
  const isUnparsed = received.endsWith('400 Bad Request');
  const read = readMessage(received, () => sent.method !== 'HEAD' || isUnparsed);
  if (read === undefined) return [`no answer: ${received.slice(0, 60)}`];
  const [message, rest] = read;
  const status = Number(message.line.split(' ')[1]);
  const type = headerOf(message, 'content-type') ?? '';
  const isPassedOn = message.body !== '' && answer.includes(message.body);
  const isPage = /html|svg/.test(type);
  return [
    ...(rest === '' ? [] : ['bytes behind the answer']),
    ...namesOf(
      message,
      [...answerHeaders, 'set-cookie', ...declared].filter((name) => !hostile.test(name)),
    ),
    ...(declared.includes('set-cookie') || headerOf(message, 'set-cookie') === undefined
      ? []
      : ['an undeclared cookie']),
    ...(isPage && headerOf(message, 'content-security-policy') === undefined ? ['a page without a policy'] : []),
    ...(status >= 400 && sent.method !== 'HEAD' && !isPassedOn && !isRefusal(message)
      ? [`a failure in no format: ${message.line} ${message.body}`]
      : []),
  ];
}

/** A refusal of the gateway in JSON, or the plain one of a head that cannot be parsed, which has no format. */
function isRefusal({ line, body }: Message): boolean {
  if (body === '400 Bad Request') return true;
  try {
    return Object(JSON.parse(body)).status === Number(line.split(' ')[1]);
  } catch {
    return false;
  }
}

const folder = tempFolder();
const server = new RecordingServer();
const url = server.listen();
const services: Service[] = [];
let gateway: Awaited<ReturnType<typeof createGateway>>;
let port: number;

beforeAll(async () => {
  const made = Array.from({ length: documentsCount - ofOthers.length }, (_, at) => {
    const file = join(folder.path, `made-${at}.json`);
    writeFileSync(file, JSON.stringify(documentOf(at)));
    return file;
  });
  for (const [at, file] of [...made, ...ofOthers].entries()) {
    const { service } = await importOpenApi(file, { allowNetwork: false });
    const operations = [...service.operations.values()].slice(0, operationsPerDocument);
    const used = new Set(operations.flatMap(({ problems }) => problems));
    const problems = Object.fromEntries(Object.entries(service.problems ?? {}).filter(([, each]) => used.has(each)));
    services.push(declare({ ...service, name: `S${at}`, address: `/S${at}`, paths: `/s${at}`, problems, operations }));
  }
  gateway = await createGateway({
    services: services.map((each) => declare({ ...each, operations: [...each.operations.values()] }).answeredBy('raw')),
    upstreams: { raw: { url: await url, format: 'json', credentials: 'forward' } },
    settings: { LOG_LEVEL: 'silent' },
  });
  const running = await gateway.listen();
  port = Number(new URL(running.origin).port);
});
afterAll(async () => {
  await gateway.close();
  server.close();
  folder.discard();
});

const anyOperation = { upstream: { method: 'GET', path: '/a' } } as Operation;
const anyCall: Sent = {
  call: { path: '/a', contentType: '', body: '' },
  ...{ method: 'GET', target: '/a', targetBehind: '/a', takesBody: false },
};

test('control: the server executes a request in the body of a GET, and what is sent and answered so has faults', async () => {
  const address = Number(new URL(await url).port);
  server.answer = answers[1].text;
  server.executed = [];
  const text = `GET /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: ${forged.length}\r\n\r\n${forged}`;
  const received = await exchangeBytes(address, `${text}GET /end HTTP/1.1\r\nConnection: close\r\n\r\n`);
  expect(server.executed.map(({ line }) => line)).toEqual(
    ['GET /a', `DELETE /${canary}`, 'GET /end'].map((each) => `${each} HTTP/1.1`),
  );
  expect(faultsOfRequests(server.executed, anyOperation, anyCall)).toEqual(
    expect.arrayContaining([
      'the header transfer-encoding',
      `the request DELETE /${canary} HTTP/1.1`,
      'a forged address',
    ]),
  );
  const faults = faultsOfAnswer(received, anyOperation, anyCall, server.answer);
  expect(faults).toEqual(
    expect.arrayContaining(['bytes behind the answer', 'the header x-envoy-upstream', 'an undeclared cookie']),
  );
  const bare = answered(['Content-Type: text/plain'], 'Internal Server Error', '500 Internal Server Error');
  expect(faultsOfAnswer(bare, anyOperation, anyCall, '')).toEqual([expect.stringMatching(/^a failure in no format/)]);
});

test(`${documentsCount} documents, ${ofOthers.length} of them of others`, async () => {
  const { rest } = createProtocols(services);
  const faults: string[] = [];
  let count = 0;
  for (const service of services)
    for (const operation of service.operations.values()) {
      const call = rest.encodeRequest(service, operation, exampleOf(operation.input, 'full'));
      const target = `${service.paths}${call.path}`;
      const takesBody = bodyFieldsOf(operation, operation.upstream!).length > 0;
      const sent: Sent = { call, method: call.method ?? 'POST', target, targetBehind: call.path, takesBody };
      for (let turn = 0; turn < 4; turn += 1, count += 1) {
        // What takes a second, and reads that are sent again after a pause: few of them are enough.
        const isSlow = count % 40 === 0;
        const framing = count % 400 === 20 ? unknownCoding : framings[count % framings.length]!;
        const usable = answers.filter(({ ok }) => ok || isSlow);
        const answer = usable[Math.floor(count / 3) % usable.length]!;
        server.answer = answer.text;
        server.executed = [];
        const { headers, body } = framing(sent);
        const own = Object.entries(call.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
        const text = `${sent.method} ${target} HTTP/1.1\r\n${head(['Host: a', 'Connection: close', ...own, ...headers])}\r\n${body}`;
        const received = await exchangeBytes(port, text);
        const found = [
          ...faultsOfRequests(server.executed, operation, sent),
          ...faultsOfAnswer(received, operation, sent, answer.text),
        ];
        faults.push(...found.map((each) => `${service.name}.${operation.name} ${count}: ${each}`));
      }
    }
  expect(faults).toEqual([]);
  expect(count).toBeGreaterThan(500);
});
