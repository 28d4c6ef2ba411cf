/** An HTTP server in front of an upstream that passes requests on, or fails them as a test plans. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { type Fault, faults, trusted } from './faults.ts';

export interface ReceivedRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** One request to a faulty upstream. */
export interface UpstreamExchange {
  readonly socket: Socket;
  readonly response: ServerResponse;
  /** Lets the upstream answer, so that it has the effect. */
  forward(): Promise<UpstreamAnswer>;
  /** Refuses new connections. */
  stopListening(): void;
}

export interface FaultyUpstream {
  readonly port: number;
  /** All requests whose body has arrived, in order. */
  readonly requests: ReceivedRequest[];
  /** Applies the fault to every request until `heal`. */
  fail(fault: Fault): Promise<void>;
  heal(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Seeded defects, as if a gateway had them: it sends every write twice, makes a key for each attempt, takes a failure for a
 * success, or does not say that a failure may be retried. Or the server lies about what it has done.
 */
export type Defect =
  | 'sends twice'
  | 'a key for each attempt'
  | 'failures are successes'
  | 'failures are final'
  | 'look-ups find nothing'
  | 'look-ups find everything';

export interface FaultyUpstreamOptions {
  /** The origin of the upstream. */
  readonly target: string;
  /** HTTPS. */
  readonly isSecure?: boolean;
  readonly defect?: Defect | undefined;
  /** Before the upstream receives a request, and before its answer is passed on. */
  readonly delayMs?: () => number;
  /** What becomes of a write: `answered` by default, `lost` after its effect, or never there. */
  readonly fate?: () => 'answered' | 'answer lost' | 'request lost';
}

export async function startFaultyUpstream(options: FaultyUpstreamOptions): Promise<FaultyUpstream> {
  const { target, isSecure = false, defect, delayMs = () => 0, fate = () => 'answered' } = options;
  const requests: ReceivedRequest[] = [];
  let fault: Fault | undefined;
  const listener: RequestListener = async (request, response) => {
    try {
      const body = await buffer(request);
      requests.push({ url: request.url ?? '', headers: request.headers, body: body.toString() });
      const forward = async () => {
        const key = defect === 'a key for each attempt' ? { 'idempotency-key': randomUUID() } : {};
        if (defect === 'sends twice') await passOn(target, request, body, key);
        return passOn(target, request, body, key);
      };
      const apply = fault === undefined ? undefined : faults[fault].apply;
      if (apply !== undefined && defect === 'failures are successes')
        return response.writeHead(200, { 'content-type': 'application/json' }).end(storedToken);
      if (apply !== undefined)
        return await apply({ socket: request.socket, response, forward, stopListening: () => void server.close() });
      const isLookup = request.url?.endsWith('/listRecurringDetails') === true;
      const lie = isLookup ? lies[defect ?? ''] : undefined;
      if (lie !== undefined) return response.writeHead(200, { 'content-type': 'application/json' }).end(lie);
      const becomes = isLookup ? 'answered' : fate();
      if (becomes === 'request lost') return request.socket.destroy();
      await wait(delayMs());
      const { status, type, body: text } = await forward();
      if (becomes === 'answer lost') return request.socket.destroy();
      await wait(delayMs());
      response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text);
    } catch {
      // The gateway has closed the connection.
      response.destroy();
    }
  };
  const server = isSecure ? createSecureServer(trusted, listener) : createServer(listener);
  let port = 0;
  const listen = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  await listen();
  return {
    port,
    requests,
    async fail(name) {
      fault = name;
      const { connection } = faults[name];
      if (connection !== undefined) server.closeAllConnections();
      if (connection === 'refused') await stop(server);
      else if (typeof connection === 'object') (server as SecureServer).setSecureContext(connection);
    },
    async heal() {
      if (!server.listening) await listen();
      if (isSecure) (server as SecureServer).setSecureContext(trusted);
      fault = undefined;
    },
    close: () => stop(server),
  };
}

async function stop(server: Server | SecureServer): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

const storedToken = JSON.stringify({
  pspReference: '8815252013129012',
  recurringDetailReference: '8313147988756818',
  result: 'Success',
});

/** What a server says that lies about stored details. */
const lies: Readonly<Record<string, string>> = {
  'look-ups find nothing': '{}',
  'look-ups find everything': JSON.stringify({
    details: [
      {
        RecurringDetail: {
          recurringDetailReference: '8313147988756818',
          firstPspReference: '8815252013129012',
          creationDate: '2026-11-21T12:29:36+01:00',
          contractTypes: ['RECURRING'],
          variant: 'visa',
        },
      },
    ],
  }),
};

function passOn(
  target: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  also: IncomingHttpHeaders,
): Promise<UpstreamAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
  const sent = requestHttp(`${target}${url}`, { method, headers: { ...headers, ...also } }, async (response) => {
    const text = (await buffer(response)).toString();
    resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', body: text });
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}
