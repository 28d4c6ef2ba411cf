/** Generates load in every format over keep-alive connections, without retries, and checks every answer. */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Call } from '../../src/core/formats/protocol.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { hangMsMax } from './until.ts';

const protocols = createProtocols(services);
export const formats = namedProtocols;
const service = recurringV25;
const operationOf = (name: string) => service.operations.get(name)!;

export const callIn = (format: NamedProtocol, operation: string, input: object): Call =>
  protocols[format].encodeRequest(service, operationOf(operation), input);

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** Decodes the answer as a caller of this format does. */
export const meaning = (format: NamedProtocol, operation: string, { body }: ReceivedResponse): unknown =>
  protocols[format].decodeResponse(operationOf(operation), body).value;

export interface Caller {
  /** Rejects where the connection fails; never retries. */
  ask(call: Call, key?: string): Promise<ReceivedResponse>;
  close(): void;
}

/** `origin`: `http://127.0.0.1:8080`. */
export const openCaller = (origin: string, authorization: string, sockets: number): Caller => {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  return {
    ask: ({ path, contentType, body }, key) =>
      new Promise((resolve, reject) => {
        const headers = {
          'Content-Type': contentType,
          'Content-Length': Buffer.byteLength(body),
          Authorization: authorization,
          ...(key !== undefined && { 'Idempotency-Key': key }),
        };
        const sent = request(`${origin}${path}`, { method: 'POST', agent, headers, timeout: hangMsMax }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers as Record<string, string | undefined>,
              body: Buffer.concat(chunks).toString(),
            }),
          );
        });
        sent.on('error', reject);
        sent.on('timeout', () => sent.destroy(new Error(`no answer in ${hangMsMax} ms`)));
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
};

export const card = { number: '4111111111111111', expiryMonth: '3', expiryYear: '2031', holderName: 'Anna van Dijk' };

export interface TrafficOptions {
  readonly origin: string;
  readonly authorization: string;
  readonly merchantAccount: string;
  /** The number of callers, each with its own connection. */
  readonly callers: number;
  /** How often a request whose connection failed is retried with its key; never by default. */
  readonly retriesMax?: number;
  readonly pauseMs?: number;
}

export interface Timed {
  /** The time of sending, by `performance.now()`. */
  readonly at: number;
  readonly ms: number;
}

export interface Traffic {
  /** The number of correct responses. */
  right(): number;
  /** Incorrect responses, each with its request. */
  readonly failures: readonly string[];
  /** The number of failed connections whose request was retried. */
  lost(): number;
  readonly answered: readonly Timed[];
  /** The number of shoppers, each with two keys. */
  shoppers(): number;
  /** Lets each caller finish its current shopper. */
  stop(): Promise<void>;
}

type Check = (received: ReceivedResponse, value: unknown) => boolean;

/**
 * Each caller stores a token for its own shopper, retries the request in another format, lists the details and disables
 * them. A lost, duplicated or mixed-up request shows in the responses.
 */
export const startTraffic = (options: TrafficOptions): Traffic => {
  const { origin, authorization, merchantAccount, retriesMax = 0, pauseMs = 0 } = options;
  const failures: string[] = [];
  const answered: Timed[] = [];
  let stopped = false;
  let shoppers = 0;
  let lost = 0;

  const journeys = async (start: number): Promise<void> => {
    const caller = openCaller(origin, authorization, 1);
    let turn = start;
    /** Undefined where the response was incorrect. */
    const step = async (operation: string, input: object, key: string | undefined, check: Check) => {
      const format = formats[turn++ % formats.length]!;
      const call = callIn(format, operation, input);
      const at = performance.now();
      for (let sent = 0; ; sent += 1) {
        try {
          const received = await caller.ask(call, key);
          const right = received.status === 200 && check(received, meaning(format, operation, received));
          // A retry during the first attempt, or shortly after its process died, must be sent again; and so must a request
          // that a server refused because its database was out of reach.
          if (!right && sent < retriesMax && received.headers['transient-error'] === 'true') {
            await new Promise((resolve) => setTimeout(resolve, 300));
            continue;
          }
          if (right) answered.push({ at, ms: performance.now() - at });
          else failures.push(`${format} ${operation}: ${received.status} ${received.body}`);
          return right ? received : undefined;
        } catch (thrown) {
          if (sent < retriesMax) {
            lost += 1;
            await new Promise((resolve) => setTimeout(resolve, 50));
            continue;
          }
          failures.push(`${format} ${operation}: ${(thrown as NodeJS.ErrnoException).code ?? String(thrown)}`);
          return undefined;
        }
      }
    };
    while (!stopped) {
      const shopper = { merchantAccount, shopperReference: `shopper-${randomUUID()}` };
      shoppers += 1;
      const stores = { ...shopper, card, recurring: { contract: ['RECURRING'] } };
      const key = randomUUID();
      const first = await step('storeToken', stores, key, ({ headers }) => headers.pspreference !== undefined);
      const reference = first?.headers.pspreference;
      await step('storeToken', stores, key, ({ headers }) => {
        const repeated = headers['idempotent-replayed'] === 'true';
        return repeated && (reference === undefined || headers.pspreference === reference);
      });
      await step('listRecurringDetails', shopper, undefined, (_, value) => {
        const { details } = value as { details?: readonly unknown[] };
        return details?.length === 1;
      });
      await step('disable', shopper, randomUUID(), (_, value) =>
        JSON.stringify(value).includes('successfully-disabled'),
      );
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    caller.close();
  };

  const all = Promise.all(Array.from({ length: options.callers }, (_, start) => journeys(start)));
  return {
    right: () => answered.length,
    failures,
    lost: () => lost,
    answered,
    shoppers: () => shoppers,
    async stop() {
      stopped = true;
      await all;
    },
  };
};
