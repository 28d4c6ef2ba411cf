/** A gateway inside a program: services of one's own, answered without a port, on one, and below another server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import Koa from 'koa';
import { ordersV1 } from '../../examples/orders/contract.ts';
import { orders } from '../../examples/orders/orders.ts';
import { createGateway, type GatewayOptions, type RunningGateway } from '../../src/program/api/index.ts';
import { koaMiddleware } from '../../src/program/api/koa.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const open = async (options: Partial<GatewayOptions> = {}): Promise<RunningGateway> => {
  const gateway = await createGateway({ services: [orders], ...options });
  ends.push(() => gateway.close());
  return gateway;
};

const addCaller = async ({ credentials }: RunningGateway): Promise<string> => {
  const grants = { shop: ['amsterdam'] };
  const { secret } = await credentials.addCredential({ tenant: 'acme', kind: 'apiKey', roles: ['orders'], grants });
  return secret;
};

const order = { shop: 'amsterdam', number: 'A-1001', item: 'Bicycle', quantity: 1 };
const key = { shop: order.shop, number: order.number };
const formType = 'application/x-www-form-urlencoded';

const request = (path: string, secret: string, body: string, headers: Record<string, string> = {}): Request =>
  new Request(`http://gateway${path}`, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'content-type': 'application/json', ...headers },
    body,
  });

const place = (secret: string, idempotencyKey = 'key-of-an-order-1'): Request =>
  request('/orders/v1/placeOrder', secret, JSON.stringify(order), { 'idempotency-key': idempotencyKey });

/** Asks a server for the order of the test. */
const getFrom = async (url: string, secret: string) => {
  const asked = request('/orders/v1/getOrder', secret, JSON.stringify(key));
  const response = await fetch(url + new URL(asked.url).pathname, {
    method: 'POST',
    headers: asked.headers,
    body: JSON.stringify(key),
  });
  return { status: response.status, body: await response.text() };
};

const serve = async (listener: Parameters<typeof createServer>[1]): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test('a request without a connection is answered in its format, and a retry in another one is a replay', async () => {
  const gateway = await open();
  const secret = await addCaller(gateway);
  const first = await gateway.fetch(place(secret));
  expect([first.status, await first.json()]).toEqual([200, { status: 'placed' }]);
  const pairs = new URLSearchParams({ ...order, quantity: '1' }).toString();
  const retry = request('/orders/v1/placeOrder', secret, pairs, {
    'content-type': formType,
    'idempotency-key': 'key-of-an-order-1',
  });
  const again = await gateway.fetch(retry);
  expect([again.headers.get('idempotent-replayed'), await again.text()]).toEqual(['true', 'status=placed']);
  const refused = await gateway.fetch(place(secret, 'key-of-an-order-2'));
  expect([refused.status, await refused.json()]).toMatchObject([422, { errorCode: '1003' }]);
});

test('documents, refusals and unknown paths are answered as on a port', async () => {
  const gateway = await open();
  const wsdl = await gateway.fetch(new Request('http://gateway/orders/v1?wsdl'));
  expect(await wsdl.text()).toContain('location="http://gateway/orders/v1"');
  expect((await gateway.fetch(request('/orders/v1/getOrder', 'wrong', '{}'))).status).toBe(401);
  expect((await gateway.fetch(request('/nowhere', 'wrong', '{}'))).status).toBe(404);
});

test('gateways in memory do not share data', async () => {
  const [one, other] = [await open(), await open()];
  const secrets = [await addCaller(one), await addCaller(other)];
  expect((await one.fetch(place(secrets[0]!))).status).toBe(200);
  expect((await other.fetch(place(secrets[0]!))).status).toBe(401);
  expect(await getFrom((await other.listen()).origin, secrets[1]!)).toMatchObject({ status: 422 });
  expect(await getFrom((await one.listen()).origin, secrets[0]!)).toEqual({ status: 200, body: JSON.stringify(order) });
});

test('many writes at once in memory are committed, and reads at the same time see whole orders only', async () => {
  const gateway = await open();
  const secret = await addCaller(gateway);
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const number = `A-${index}`;
      const placed = request('/orders/v1/placeOrder', secret, JSON.stringify({ ...order, number }));
      const read = request('/orders/v1/getOrder', secret, JSON.stringify({ ...key, number }));
      const [{ status }, found] = await Promise.all([gateway.fetch(placed), gateway.fetch(read)]);
      expect([200, 422]).toContain(found.status);
      return status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('a folder holds the data and the keys; an edited migration is refused', async () => {
  const folder: TempFolder = tempFolder();
  ends.push(() => folder.discard());
  const store = { dataDir: folder.path };
  const gateway = await createGateway({ services: [orders], store });
  const secret = await addCaller(gateway);
  expect((await gateway.fetch(place(secret))).status).toBe(200);
  await gateway.close();
  const edited = { ...orders, tables: { ...orders.tables, upgrades: { 1: ['select 1'] } } };
  await expect(createGateway({ services: [edited], store })).rejects.toThrow(/was it edited/);
  const again = await open({ store });
  expect((await again.fetch(place(secret))).headers.get('idempotent-replayed')).toBe('true');
});

test('below a Koa application the other routes and errors stay its own', async () => {
  const gateway = await open();
  const secret = await addCaller(gateway);
  await gateway.fetch(place(secret));
  const app = new Koa();
  app.silent = true;
  app.use(async (context, next) => {
    await next().catch((thrown: Error) => {
      context.body = `handled: ${thrown.message}`;
    });
  });
  app.use(koaMiddleware(gateway));
  app.use((context) => {
    if (context.path === '/broken') throw new Error('the route failed');
    context.body = `own route ${context.path}`;
  });
  const url = await serve(app.callback());
  expect(await getFrom(url, secret)).toEqual({ status: 200, body: JSON.stringify(order) });
  expect(await (await fetch(`${url}/other`)).text()).toBe('own route /other');
  expect(await (await fetch(`${url}/broken`)).text()).toBe('handled: the route failed');
});

test('a handler that is mounted below a path names it in documents', async () => {
  const gateway = await open();
  const handle = gateway.handler();
  const url = await serve((request, response) => {
    // As Express does for `app.use('/legacy', handler)`.
    const original = request.url ?? '';
    if (!original.startsWith('/legacy/')) return response.end('own route');
    Object.assign(request, { originalUrl: original, url: original.slice('/legacy'.length) });
    return handle(request, response, () => response.end('passed on'));
  });
  const wsdl = await (await fetch(`${url}/legacy/orders/v1?wsdl`)).text();
  expect(wsdl).toContain(`location="${url}/legacy/orders/v1"`);
  expect(await (await fetch(`${url}/legacy/nothing`)).text()).toBe('passed on');
  expect(await (await fetch(`${url}/other`)).text()).toBe('own route');
});

test('the same service twice, and wrong settings, are refused', async () => {
  await expect(open({ services: [orders, orders] })).rejects.toThrow(TypeError);
  await expect(open({ settings: { BODY_BYTES_MAX: 'many' } })).rejects.toThrow(/BODY_BYTES_MAX/);
  expect(ordersV1.roles).toEqual(['orders']);
});
