/** A plain server as an upstream, and requests to it without a gateway. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { getOrder, ordersV1, placeOrder } from '../../examples/orders/contract.ts';
import type { AnyRequest } from '../../src/core/contract/canonical.ts';
import type { Operation } from '../../src/core/contract/operation.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { ApplicationError, NotSent, OutcomeUnknown } from '../../src/core/idempotency/ports.ts';
import { createUpstream, type Upstream } from '../../src/forward/create-upstream.ts';
import type { UpstreamEvent } from '../../src/forward/events.ts';
import { forwardCredential } from '../../src/forward/headers.ts';
import type { UpstreamSetup } from '../../src/forward/options.ts';
import { listenLocally } from './listen-locally.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Behaviour = (response: ServerResponse, request: Received, socket: Socket) => void;

export interface UpstreamServer extends AsyncDisposable {
  readonly url: string;
  /** The requests whose body was read to its end. */
  readonly received: Received[];
}

/** Reads each request to its end, and then behaves. */
export async function startUpstreamServer(behave: Behaviour): Promise<UpstreamServer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const each = { method, url, headers, body: Buffer.concat(chunks).toString() };
    received.push(each);
    behave(response, each, request.socket);
  });
  const url = await listen(server);
  return {
    url,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export async function listen(server: Server, scheme = 'http'): Promise<string> {
  return `${scheme}://127.0.0.1:${await listenLocally(server)}`;
}

export interface TestUpstream extends AsyncDisposable {
  readonly upstream: Upstream;
  readonly events: UpstreamEvent[];
}

export type SetupParts = Partial<UpstreamSetup> & Pick<UpstreamSetup, 'url'>;

const protocols = createProtocols([ordersV1]);

export function openUpstream(parts: SetupParts): TestUpstream {
  const events: UpstreamEvent[] = [];
  const upstream = createUpstream({
    name: 'shop',
    format: 'json',
    protocols,
    referenceHeader: 'requestReference',
    credentials: { find: forwardCredential, areOfCaller: true },
    timeouts: { connectMs: 1_000, headersMs: 500, bodyMs: 500, totalMs: 5_000 },
    connections: 4,
    queueMax: 4,
    responseBytesMax: 100_000,
    clock: { now: () => Date.now() },
    report: (event) => events.push(event),
    ...parts,
  });
  return { upstream, events, [Symbol.asyncDispose]: () => upstream.close() };
}

const order = { shop: 'amsterdam', number: 'A-1' };
const newOrder = { ...order, item: 'Bicycle', quantity: 1 };

export interface SendOptions {
  readonly service?: Service;
  readonly operation?: Operation;
  readonly input?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly address?: string;
  readonly caller?: { readonly credential: string; readonly rights?: 'upstream' };
}

/** Sends a request as idempotent execution does. */
export function send({ upstream }: TestUpstream, options: SendOptions = {}) {
  const { service = ordersV1, operation = getOrder, headers = {}, key, address = '192.0.2.1' } = options;
  const { caller = { credential: 'c', rights: 'upstream' } } = options;
  const input = options.input ?? (operation === placeOrder ? newOrder : order);
  const request = {
    service,
    operation,
    input,
    caller: { tenant: 't', requiresKey: false, ...caller },
    requestReference: 'ABCDEFGH12345678',
    head: { headers, sender: { address, scheme: 'https' } },
  } as AnyRequest;
  return upstream.handler(service, operation).forward(request, undefined, key);
}

/** What became of a request, in few words: `ok`, `answered: upstreamRefusal: 500 905 Disk full`, `not sent: refused (…)`, `unknown: reset`, `422 1002 Order not found`. */
export async function outcome(sent: Promise<unknown>): Promise<string> {
  try {
    await sent;
    return 'ok';
  } catch (thrown) {
    if (thrown instanceof NotSent) return `not sent: ${thrown.message}`;
    if (thrown instanceof OutcomeUnknown) return `unknown: ${thrown.message}`;
    const isAnswer = thrown instanceof ApplicationError;
    const told = isAnswer ? thrown.problem : thrown;
    if (!(told instanceof Problem)) throw thrown;
    const { problem, status, code, message } = told;
    return `${isAnswer ? 'answered: ' : ''}${problem}: ${status} ${code} ${message}`;
  }
}

export const found = { ...newOrder };
export const placed = { status: 'placed' };

export function answerJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}
