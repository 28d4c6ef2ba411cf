/** Text of upstreams and callers with characters that no header may have: every answer is in the caller's own format, down to the last net. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { builtIn } from '../../src/program/api/index.ts';
import { type StartedGateway, startGateway } from '../../src/program/app/create-gateway.ts';
import { problemIn } from '../fault/upstream/problem-in.ts';
import { demoAuthorization } from '../support/server.ts';

const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code));
const bytes = [...controls, '\x7f', '\x80', '\x85', '\xa0', '\xe4', '\xff'];
/** A read is sent again where a header is no HTTP, which takes its time. */
const fewBytes = ['\0', '\t', '\n', '\r', '\x1b', '\x7f', '\x80', '\xe4', '\xff'];
const characters = [...bytes, '\u0100', '\u20ac', '\u2028', '\ufffe', '\ud83d\ude00', '\ud83d', '\ude00'];

/** What the upstream sends, as bytes in latin1. */
let reply: string;
let upstream: Server;
let started: StartedGateway;
let origin: string;
/** Changes the headers of the next answers. */
let mangle: ((headers: Record<string, string>) => void) | undefined;

beforeAll(async () => {
  upstream = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.end(Buffer.from(reply, 'latin1')));
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const options = {
    ...builtIn(),
    settings: { LOG_LEVEL: 'fatal' },
    upstreams: {
      other: { url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`, credentials: 'forward' as const },
    },
    answeredBy: { Recurring: 'other' },
  };
  started = await startGateway(options, {
    interceptor: async (_request, _protocol, proceed) => {
      const answer = await proceed();
      const headers = { ...answer.message.headers };
      mangle?.(headers);
      return { ...answer, message: { ...answer.message, headers } };
    },
  });
  origin = (await started.gateway.listen()).origin;
});
afterEach(() => {
  mangle = undefined;
});
afterAll(async () => {
  await started.gateway.close();
  upstream.close();
});

const respond = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): void => {
  const text = JSON.stringify(body);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  reply =
    `HTTP/1.1 ${status} Status\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
    `${lines.join('')}Connection: close\r\n\r\n${Buffer.from(text).toString('latin1')}`;
};

const protocols = createProtocols(services);
const operation = recurringV25.operations.get('listRecurringDetails')!;
const input = { merchantAccount: 'DemoMerchant', shopperReference: 'anna' };

interface Caller {
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
}

/** Over a socket: clients refuse to send such headers. */
async function ask(format: NamedProtocol, { headers = {}, key }: Caller = {}) {
  const { path, contentType, body } = protocols[format].encodeRequest(recurringV25, operation, input, key);
  const all = {
    ...{ host: 'gateway', 'content-type': contentType, authorization: demoAuthorization, connection: 'close' },
    ...{ 'content-length': Buffer.byteLength(body), ...headers },
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.write(Buffer.from(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n`, 'latin1'));
  socket.write(body);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  const [responseHead = '', ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(responseHead)?.[1]);
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(responseHead)?.[1];
  const text = rest.join('\r\n\r\n');
  const problem = status === 200 ? undefined : readProblem(format, header('content-type') ?? '', text);
  return { status, problem, header };
}

/** Throws where the answer is not in the format. */
function readProblem(format: NamedProtocol, contentType: string, text: string) {
  try {
    return problemIn(format, contentType, text);
  } catch (thrown) {
    // The line of a fault in the words of the upstream, whose type or code is no word.
    if (thrown instanceof Error && thrown.message.startsWith('no problem: ') && text !== 'Internal Server Error')
      return { type: '', code: '', message: text };
    throw thrown;
  }
}

const refusal = { status: 403, errorCode: '905', message: 'No', errorType: 'security', pspReference: 'THEIRS' };
const answer = { details: [] };

/** Where an upstream has text that may become a header of the answer, or stands in a refusal. */
const ofUpstream: Readonly<Record<string, (character: string) => void>> = {
  'the reference in a refusal': (each) => respond(403, { ...refusal, pspReference: `A${each}B` }),
  'the reference of problem details': (each) => respond(403, { title: 'No', status: 403, requestId: `A${each}B` }),
  'the message of a refusal': (each) => respond(403, { ...refusal, message: `A${each}B` }),
  'the code of a refusal': (each) => respond(403, { ...refusal, errorCode: `${'9'.repeat(99)}${each}B` }),
  'the type of a refusal': (each) => respond(403, { ...refusal, errorType: `A${each}B` }),
  'a field of a refusal': (each) =>
    respond(422, { ...refusal, status: 422, invalidFields: [{ name: `a${each}b`, message: `A${each}B` }] }),
  'an unknown member': (each) => respond(200, { ...answer, [`a${each}b`]: `A${each}B` }),
};
const inHeaders: Readonly<Record<string, (character: string) => void>> = {
  'the reference of an answer': (each) => respond(200, answer, { pspReference: `A${each}B` }),
  'the reference of a refusal': (each) => respond(403, refusal, { pspReference: `A${each}B` }),
  'the challenge of a refusal': (each) => respond(401, refusal, { 'WWW-Authenticate': `Basic realm="A${each}B"` }),
  'the wait of a refusal': (each) => respond(429, refusal, { 'Retry-After': `1${each}2` }),
  'the type of an answer': (each) => respond(200, answer, { 'X-Type': each, 'Content-Language': `a${each}b` }),
};

describe.each(namedProtocols)('%s', (format) => {
  test.each([
    ...Object.entries(ofUpstream).map(([name, send]) => [name, send, characters] as const),
    ...Object.entries(inHeaders).map(([name, send]) => [name, send, format === 'json' ? bytes : fewBytes] as const),
  ])('%s', async (_, send, all) => {
    for (const each of all) {
      // Ten bad answers in a row would open the circuit.
      if (all.length <= bytes.length) {
        respond(200, answer);
        await ask('json');
      }
      send(each);
      const { status, problem, header } = await ask(format);
      // Line breaks end a header, and other control characters make it no HTTP: the gateway has no answer then.
      if (problem?.code === '701') expect([502, 500]).toContain(status);
      expect(problem?.message).not.toBe('Server could not process request');
      expect(header('pspReference')).toMatch(/^[\x21-\x7e]+$/);
      expect(header('pspReference')).not.toBe('');
    }
  });

  test.each(['x-request-id', 'idempotency-key', 'traceparent', 'tracestate', 'user-agent'])(
    'the header %s of a caller',
    async (name) => {
      respond(200, answer);
      // HTTP parsers refuse the control characters, in no format of ours.
      for (const each of bytes.filter((byte) => byte === '\t' || byte > '\x7f')) {
        const { status, problem } = await ask(format, { headers: { [name]: `A${each}B` } });
        expect([200, 400, 500]).toContain(status);
        expect(problem?.message).not.toBe('Server could not process request');
      }
    },
  );

  test('the key in the body of a caller', async () => {
    respond(200, answer);
    for (const each of characters) {
      const { problem } = await ask(format, { key: `A${each}B` });
      expect(problem?.message).not.toBe('Server could not process request');
    }
  });

  test('a header that cannot be written is an internal problem', async () => {
    respond(200, answer);
    for (const name of ['pspReference', 'Idempotency-Key', 'X-Anything'])
      for (const each of characters.filter((character) => !/[\t\x80-\xff]/.test(character))) {
        mangle = (headers) => {
          headers[name] = `A${each}B`;
        };
        const sent = await ask(format, { headers: { 'idempotency-key': randomUUID() } });
        expect(sent.problem).toEqual({ type: 'internal', code: '701', message: 'Server could not process request' });
        expect(sent.header('pspReference')).toMatch(/^[\x21-\x7e]+$/);
        expect(sent.header('transient-error')).toBe('true');
      }
  });
});
