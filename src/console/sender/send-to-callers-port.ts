/** Sends a request to the port for callers of this server, through the same sockets and worker processes as theirs. */

import { Buffer } from 'node:buffer';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { type RequestOptions, request as requestTls } from 'node:https';
import { consoleClient, readAtMost } from '../../core/lib/index.ts';

export interface SentRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface SentAnswer {
  readonly status: number;
  /** Each header with its name, as it was sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly ms: number;
}

interface CallersPort {
  /** `https://127.0.0.1:8443` */
  readonly origin: () => string;
  /** The certificate of the port, in PEM; absent without TLS. */
  readonly certificate: () => string | undefined;
}

const msMax = 70_000;
const bytesMax = 8_388_608;

export function sendToCallersPort({ origin, certificate }: CallersPort): (request: SentRequest) => Promise<SentAnswer> {
  return async ({ method, path, headers, body }) => {
    const { protocol, hostname, port } = new URL(origin());
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const hasBody = bytes.length > 0 || method !== 'GET';
    const options: RequestOptions = {
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      method,
      path,
      agent: false,
      signal: AbortSignal.timeout(msMax),
      headers: {
        'User-Agent': consoleClient,
        ...headers,
        ...(hasBody && { 'Content-Length': bytes.length }),
        Connection: 'close',
      },
      ...(protocol === 'https:' && trustOnly(certificate())),
    };
    const startedAt = performance.now();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const send = protocol === 'https:' ? requestTls : requestPlain;
      send(options, resolve)
        .once('error', reject)
        .end(hasBody ? bytes : undefined);
    });
    const received = await readAtMost(answer, bytesMax);
    if (received === undefined) throw new RangeError(`the answer is larger than ${bytesMax} bytes`);
    const ms = Math.round(performance.now() - startedAt);
    return { status: answer.statusCode ?? 0, headers: pairsOf(answer.rawHeaders), body: received, ms };
  };
}

/** The port is on this machine, where the name in its certificate does not lead: the certificate itself is compared. */
function trustOnly(certificate: string | undefined): RequestOptions {
  return { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}

function pairsOf(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}
