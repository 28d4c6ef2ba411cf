/** Gateways that ask a server for unknown outcomes: by retries, by themselves, and what no answer proves. */
import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { ordersV1 } from '../../examples/orders/contract.ts';
import type { UpstreamLookup, UpstreamOptions } from '../../src/backend/upstreams/options.ts';
import { type StartedGateway, startGateway } from '../../src/program/app/create-gateway.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { until } from '../support/until.ts';

interface Placed {
  readonly shop: string;
  readonly number: string;
  readonly item: string;
  readonly quantity: number;
}

/** Has orders, and loses answers. */
class Shop {
  readonly placed: Placed[] = [];
  readonly questions: unknown[] = [];
  readonly references: (string | undefined)[] = [];
  /** What becomes of the next requests to place an order. */
  fates: ('answered' | 'answer lost' | 'request lost')[] = [];
  /** Replaces the answer to look-ups. */
  answer: { readonly status: number; readonly body: string } | undefined;
  readonly #referenceOf: (string | undefined)[] = [];
  readonly #server: Server;
  url = '';

  constructor() {
    this.#server = createServer(async (request, response) => {
      let body = '';
      for await (const part of request.setEncoding('utf8')) body += part;
      const reply = (status: number, members: object | string): void => {
        const text = typeof members === 'string' ? members : JSON.stringify(members);
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
      };
      const order = JSON.parse(body) as Placed;
      if (request.url?.endsWith('/getOrder')) {
        this.questions.push(order);
        if (this.answer !== undefined) return reply(this.answer.status, this.answer.body);
        const found = this.placed.find(
          ({ number }, at) => number === order.number || this.#referenceOf[at] === order.number,
        );
        if (found !== undefined) return reply(200, found);
        return reply(422, { status: 422, errorCode: '1002', message: 'Order not found', errorType: 'validation' });
      }
      this.references.push(request.headers['x-order-reference'] as string | undefined);
      const fate = this.fates.shift() ?? 'answered';
      if (fate === 'request lost') return request.socket.destroy();
      this.placed.push(order);
      this.#referenceOf.push(this.references.at(-1));
      if (fate === 'answer lost') return request.socket.destroy();
      reply(200, { status: 'placed' });
    });
  }

  async start(): Promise<void> {
    this.url = `http://127.0.0.1:${await listenLocally(this.#server)}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const byNumber: UpstreamLookup = {
  by: 'Orders.getOrder',
  input: { shop: 'shop', number: 'number' },
  same: { item: 'item', quantity: 'quantity' },
  output: { status: { value: 'placed' } },
  notFound: ['1002'],
  notFoundAfterMs: 500,
};

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const addCredential = async ({ gateway }: StartedGateway): Promise<string> => {
  const grants = { shop: ['amsterdam'] };
  const { secret } = await gateway.credentials.addCredential({
    tenant: 'acme',
    kind: 'apiKey',
    roles: ['orders'],
    grants,
  });
  return secret;
};

const open = async (lookup: Partial<UpstreamLookup> = {}, options: Partial<UpstreamOptions> = {}) => {
  const shop = new Shop();
  await shop.start();
  ends.push(() => shop.stop());
  const started: StartedGateway = await startGateway({
    services: [ordersV1.answeredBy('shop')],
    upstreams: {
      shop: {
        ...{ url: shop.url, credentials: 'forward', timeouts: { totalMs: 1_000 } },
        lookups: { 'Orders.placeOrder': { ...byNumber, ...lookup } },
        ...options,
      },
    },
    settings: { LOG_LEVEL: 'silent' },
  });
  ends.push(() => started.gateway.close());
  const credential = options.credentials === undefined ? 'of the caller' : await addCredential(started);
  const place = async (key: string | undefined, order: Partial<Placed> = {}) => {
    const response = await started.gateway.fetch(
      new Request('http://gateway/orders/v1/placeOrder', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': credential,
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        body: JSON.stringify({ shop: 'amsterdam', number: 'A-1', item: 'Bicycle', quantity: 1, ...order }),
      }),
    );
    const body = (await response.json()) as { readonly status: unknown };
    return {
      status: response.status,
      body,
      mayRetry: response.headers.get('transient-error'),
      isReplay: response.headers.get('idempotent-replayed') === 'true',
    };
  };
  /** Retries as the headers say. */
  const untilFinal = async (key: string) => {
    let answer = await place(key);
    await until('a final answer', async () => {
      if (answer.mayRetry === 'true') answer = await place(key);
      return answer.mayRetry !== 'true';
    });
    return answer;
  };
  return { shop, place, untilFinal, unsettled: started.backend.unsettled };
};

test('the effect is there: a retry learns the outcome, and the answers after it are replays', async () => {
  const { shop, place, unsettled } = await open();
  shop.fates = ['answer lost'];
  expect(await place('key-1')).toMatchObject({ status: 502, mayRetry: 'true' });
  expect(await unsettled.list(9)).toMatchObject([{ state: 'repeatable' }]);
  expect(await unsettled.takeUnreported()).toEqual([]);
  expect(await place('key-1')).toMatchObject({ status: 200, body: { status: 'placed' }, isReplay: true });
  expect(await place('key-1', { item: 'Car' })).toMatchObject({ status: 422 });
  expect(shop.placed).toHaveLength(1);
  expect(shop.questions).toEqual([{ shop: 'amsterdam', number: 'A-1' }]);
  expect(await unsettled.list(9)).toEqual([]);
});

test('the request never arrived: it is sent again, and not before none can arrive any more', async () => {
  const { shop, place, untilFinal } = await open();
  shop.fates = ['request lost'];
  const lostAt = performance.now();
  expect(await place('key-1')).toMatchObject({ status: 502, mayRetry: 'true' });
  expect(await place('key-1')).toMatchObject({ status: 409, mayRetry: 'true' });
  expect(shop.references).toHaveLength(1);
  expect(await untilFinal('key-1')).toMatchObject({ status: 200, isReplay: false });
  expect(performance.now() - lostAt).toBeGreaterThan(500);
  expect(shop.placed).toHaveLength(1);
});

type Case = readonly [string, Partial<UpstreamLookup>, Shop['answer']];
const { notFoundAfterMs: _, ...withoutTime } = byNumber;

test.each<Case>([
  ['the refusal is not one that says so', { notFound: ['9999'] }, undefined],
  ['something before the server answers 404', {}, { status: 404, body: 'no such page' }],
  ['the server fails', {}, { status: 500, body: '{}' }],
  [
    "another request's order is found",
    {},
    { status: 200, body: '{"shop":"amsterdam","number":"A-1","item":"Car","quantity":1}' },
  ],
  [
    'the order is in another state',
    { done: { item: ['Car', 'Bus'] } },
    { status: 200, body: '{"shop":"amsterdam","number":"A-1","item":"Bicycle","quantity":1}' },
  ],
])('proves nothing: %s', async (...[, lookup, answer]: Case) => {
  await provesNothing(await open(lookup), answer);
});

test('that a request is not found proves nothing where nobody has said when none can arrive', async () => {
  await provesNothing(await open({}, { lookups: { 'Orders.placeOrder': withoutTime } }));
});

async function provesNothing({ shop, place, unsettled }: Awaited<ReturnType<typeof open>>, answer?: Shop['answer']) {
  shop.fates = ['request lost'];
  shop.answer = answer;
  await place('key-1');
  await until('the time of requests on their way', async () => (await unsettled.list(1))[0]!.idleMs > 700);
  expect(await place('key-1')).toMatchObject({ status: 409, mayRetry: 'true' });
  expect(shop.questions).toHaveLength(1);
  expect(shop.references).toHaveLength(1);
  expect(await unsettled.list(9)).toHaveLength(1);
}

test('retries of one request ask once a second at most', async () => {
  const { shop, place } = await open();
  shop.fates = ['request lost'];
  await place('key-1');
  await Promise.all(Array.from({ length: 20 }, () => place('key-1')));
  expect(shop.questions).toHaveLength(1);
});

test('by a key that the request carried: with a credential of its own, the gateway asks by itself, and not for requests without a key', async () => {
  const { shop, place, unsettled } = await open(
    { input: { shop: { value: 'amsterdam' }, number: { key: true } }, same: {} },
    { lookupHeader: 'X-Order-Reference', credentials: { apiKey: { inClear: 'of-the-gateway' } } },
  );
  shop.fates = ['answer lost', 'request lost', 'answer lost'];
  expect(await place('key-1')).toMatchObject({ status: 502, mayRetry: 'true' });
  expect(await place('key-2', { number: 'A-2' })).toMatchObject({ status: 502, mayRetry: 'true' });
  expect(await place(undefined, { number: 'A-3' })).toMatchObject({ status: 502 });
  await until('all outcomes', async () => (await unsettled.list(9)).length === 0);
  const [first, second, third] = shop.references;
  expect(new Set([first, second, third]).size).toBe(3);
  expect(shop.questions).toEqual(
    expect.arrayContaining([first, second].map((number) => ({ shop: 'amsterdam', number }))),
  );
  expect(shop.questions).not.toContainEqual({ shop: 'amsterdam', number: third });
  expect(await place('key-1')).toMatchObject({ status: 200, isReplay: true });
  expect(await place('key-2', { number: 'A-2' })).toMatchObject({ status: 200, isReplay: false });
  // The same key to the server, in each attempt.
  expect(shop.references[3]).toBe(second);
  expect(shop.placed.map(({ number }) => number)).toEqual(['A-1', 'A-3', 'A-2']);
});
