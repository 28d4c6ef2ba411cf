/** What can go wrong between the gateway and an upstream, and whether the gateway can know that nothing was sent. */
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createSelfSigned, type SelfSigned } from '../../../src/core/lib/self-signed.ts';
import type { UpstreamExchange } from './faulty-upstream.ts';

interface FaultKind {
  /** `not sent`: nothing of the request has reached the upstream. `unknown`: it may have had the effect. */
  readonly known: 'not sent' | 'unknown';
  readonly hasEffect: boolean;
  /** Absent where there is no connection. */
  readonly apply?: (exchange: UpstreamExchange) => Promise<void>;
  /** What callers may read as the words of the upstream: `internal 905 Disk full`. */
  readonly words?: string;
  /** Instead of a connection with the trusted certificate. The name of a host without an address stays. */
  readonly connection?: 'refused' | 'unknown host' | SelfSigned;
}

/** A failure in the words of the application. */
const diskFull = { errorCode: '905', message: 'Disk full', errorType: 'internal' };
const diskFullWords = 'internal 905 Disk full';

const html = '<html><head><title>Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';
/** More than an answer may have. */
const padding = 'x'.repeat(20_000_000);

/** The certificate of the upstream. */
export const trusted = certificateOf({});
/** The gateway trusts these two as well, so that only the name or the date is wrong. */
const otherName = certificateOf({ names: ['upstream.example'], addresses: [] });
const expired = certificateOf({ fromDays: -2, untilDays: -1 });

const table = {
  refused: { known: 'not sent', hasEffect: false, connection: 'refused' },
  'unknown host': { known: 'not sent', hasEffect: false, connection: 'unknown host' },
  'unknown certificate': { known: 'not sent', hasEffect: false, connection: certificateOf({}) },
  'certificate of another name': { known: 'not sent', hasEffect: false, connection: otherName },
  'expired certificate': { known: 'not sent', hasEffect: false, connection: expired },

  'reset before the effect': before(({ socket }) => socket.resetAndDestroy()),
  'closed before the effect': before(({ socket }) => socket.destroy()),
  'no answer and no effect': before(() => {}),
  redirect: before(({ response }) => send(response, 307, 'text/plain', 'moved', { location: '/elsewhere' })),
  '429 of a proxy': before(({ response }) => send(response, 429, 'text/html', html)),
  '502 of a proxy': before(({ response }) => send(response, 502, 'text/html', html)),
  '503 of a proxy': before(({ response }) => send(response, 503, 'text/html', html)),

  'reset after the effect': after(({ socket }) => socket.resetAndDestroy()),
  'reset after the effect, then refused': after(({ socket, stopListening }) => {
    stopListening();
    socket.resetAndDestroy();
  }),
  'slow headers': after(() => {}),
  'slow body': after(({ response }, body) => sendPart(response, body)),
  'truncated body': after(({ response, socket }, body) => sendPart(response, body, () => socket.end())),
  'shorter than its length': after(({ socket }, body) => socket.end(head(`content-length: ${body.length + 4}`) + body)),
  'longer than its length': after(({ socket }, body) =>
    socket.write(head(`content-length: ${body.length - 4}`) + body),
  ),
  'chunks without an end': after(({ socket }, body) =>
    socket.end(`${head('transfer-encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n`),
  ),
  'no HTTP': after(({ socket }) => socket.end('220 mail.example ESMTP\r\n')),
  'a page with status 200': after(({ response }) => send(response, 200, 'text/html', html)),
  'JSON as a page': after(({ response }, body) => send(response, 200, 'text/html', body)),
  'no JSON': after(({ response }, body) => send(response, 200, 'application/json', body.slice(0, -1))),
  'an empty body': after(({ response }) => send(response, 200, 'application/json', '')),
  'breaks the contract': after(({ response }) =>
    send(response, 200, 'application/json', '{"result":["Success"],"details":7,"response":"[done]"}'),
  ),
  'too large': after(({ response }, body) =>
    send(response, 200, 'application/json', `{"padding":"${padding}",${body.slice(1)}`),
  ),
  '502 of a proxy after the effect': after(({ response }) => send(response, 502, 'text/html', html)),
  '504 of a proxy': after(({ response }) => send(response, 504, 'text/html', html)),

  'a limit of the application': {
    ...before(({ response }) => sendJson(response, 429, { errorCode: '000', message: 'Slow', errorType: 'security' })),
    known: 'not sent',
    words: 'security 000 Slow',
  },
  '500 of the application': { ...before(({ response }) => sendJson(response, 500, diskFull)), words: diskFullWords },
  '500 of the application after the effect': failing(500),
  '501 of the application after the effect': failing(501),
  '503 of the application after the effect': failing(503),
  '503 of the application with a wait': {
    ...after(({ response }) => sendJson(response, 503, diskFull, { 'retry-after': '30' })),
    words: diskFullWords,
  },
  '408 after the effect': after(({ response }) => sendJson(response, 408, diskFull)),
  '301 after the effect': after(({ response }) => send(response, 301, 'text/plain', 'moved', { location: '/' })),
} as const satisfies Readonly<Record<string, FaultKind>>;

export type Fault = keyof typeof table;
export const faults: Readonly<Record<Fault, FaultKind>> = table;
export const faultNames = Object.keys(table) as readonly Fault[];

/** The request has arrived, and the upstream does not act on it. */
function before(apply: (exchange: UpstreamExchange) => unknown) {
  return {
    known: 'unknown',
    hasEffect: false,
    apply: async (exchange: UpstreamExchange) => void apply(exchange),
  } as const;
}

/** The upstream has acted; `body` is its answer. */
function after(apply: (exchange: UpstreamExchange, body: string) => unknown) {
  return {
    known: 'unknown',
    hasEffect: true,
    apply: async (exchange: UpstreamExchange) => void apply(exchange, (await exchange.forward()).body),
  } as const;
}

/** The upstream has acted, and its application says that it failed. */
function failing(status: number) {
  return { ...after(({ response }) => sendJson(response, status, diskFull)), words: diskFullWords } as const;
}

function sendJson(response: ServerResponse, status: number, body: object, headers = {}): void {
  send(response, status, 'application/json', JSON.stringify({ status, ...body }), headers);
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers }).end(body);
}

/** The headers and half of the body. */
function sendPart(response: ServerResponse, body: string, then = () => {}): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.write(body.slice(0, body.length / 2), then);
}

function head(header: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${header}\r\n\r\n`;
}

/** Writes the certificates that the gateway trusts, and returns the path of the file. */
export function writeCertificates(folder: string): string {
  const file = join(folder, 'trusted.pem');
  writeFileSync(file, [trusted, otherName, expired].map(({ cert }) => cert).join(''));
  return file;
}

interface CertificateOptions {
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
  readonly fromDays?: number;
  readonly untilDays?: number;
}

function certificateOf({
  names = ['localhost'],
  addresses = ['127.0.0.1'],
  fromDays = -1,
  untilDays = 1,
}: CertificateOptions): SelfSigned {
  const dayMs = 86_400_000;
  const [from, until] = [fromDays, untilDays].map((days) => new Date(Date.now() + days * dayMs)) as [Date, Date];
  return createSelfSigned({ commonName: 'upstream', names, addresses, from, until });
}
