/** `serve --openapi --upstream-lookups`: a server that knows no keys has each effect once, and a saved project goes on. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { spawnTriglyph } from '../support/commands.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { type ServingProgram, serve } from '../support/serving-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

const text = { type: 'string' };
const order = { type: 'object', required: ['reference', 'item'], properties: { reference: text, item: text } };
const placed = { type: 'object', required: ['id', 'status'], properties: { id: text, status: text } };
const found = { type: 'object', properties: { ...placed.properties, ...order.properties } };
const content = (schema: object) => ({ content: { 'application/json': { schema } } });
const document = {
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: '/api' }],
  paths: {
    '/orders': {
      get: {
        operationId: 'findOrders',
        parameters: [{ name: 'reference', in: 'query', required: true, schema: text }],
        responses: { 200: { description: 'The orders.', ...content({ type: 'array', items: found }) } },
      },
      post: {
        operationId: 'placeOrder',
        requestBody: { required: true, ...content(order) },
        responses: { 201: { description: 'The order.', ...content(placed) } },
      },
    },
  },
};
const lookups = {
  'Shop.placeOrder': {
    by: 'Shop.findOrders',
    input: { reference: 'reference' },
    found: 'result',
    same: { item: 'item' },
    done: { status: ['placed', 'sent'] },
  },
};

interface Order {
  readonly id: string;
  readonly reference: string;
  readonly item: string;
  readonly status: string;
}
const orders: Order[] = [];
const server = createServer(async (request, response) => {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  const reply = (status: number, members: object): void =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(members));
  const { searchParams } = new URL(request.url ?? '', 'http://shop');
  if (request.method === 'GET')
    return reply(
      200,
      orders.filter(({ reference }) => reference === searchParams.get('reference')),
    );
  const given = JSON.parse(body) as Pick<Order, 'reference' | 'item'>;
  const placedOrder = { ...given, id: `o-${orders.length + 1}`, status: 'placed' };
  orders.push(placedOrder);
  // The answer is lost.
  if (given.item === 'lost') return request.socket.destroy();
  reply(201, { id: placedOrder.id, status: 'placed' });
});

let upstream = '';
beforeAll(async () => {
  upstream = `http://127.0.0.1:${await listenLocally(server)}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

let folder: TempFolder;
let gateway: ServingProgram | undefined;
beforeEach(() => {
  orders.length = 0;
  folder = tempFolder();
  writeFileSync(join(folder.path, 'shop.json'), JSON.stringify(document));
  writeFileSync(join(folder.path, 'lookups.json'), JSON.stringify(lookups));
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  folder.discard();
});

const flags = (file: string) => ['--openapi', 'shop.json', '--upstream', upstream, '--upstream-lookups', file];
const place = async (reference: string) => {
  const response = await fetch(`${gateway!.callers}/api/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `key-of-${reference}` },
    body: JSON.stringify({ reference, item: 'lost' }),
  });
  const { headers, status } = response;
  return { status, body: await response.json(), mayRetry: headers.get('transient-error') };
};

test('a retry learns the outcome, and the project that is saved knows how', async () => {
  gateway = await serve([...flags('lookups.json'), '--save', '.'], folder.path);
  expect(await place('r-1')).toMatchObject({ status: 502, mayRetry: 'true' });
  expect(await place('r-1')).toMatchObject({ body: { id: 'o-1', status: 'placed' } });
  expect(await place('r-1')).toMatchObject({ body: { id: 'o-1', status: 'placed' } });
  expect(orders).toHaveLength(1);
  await gateway.stop();
  expect(readFileSync(join(folder.path, 'triglyph.config.ts'), 'utf8')).toContain('"by":"Shop.findOrders"');
  gateway = await serve([], folder.path);
  expect(await place('r-2')).toMatchObject({ status: 502, mayRetry: 'true' });
  expect(await place('r-2')).toMatchObject({ body: { id: 'o-2' } });
  const { stdout } = await spawnTriglyph(['check'], folder.path);
  expect(stdout).toContain(
    'Shop.placeOrder by Shop.findOrders, by retries of callers alone; that it is not found never counts',
  );
});

test.each<[string, string, string]>([
  ['no JSON', 'look-ups', 'lookups.json cannot be read as JSON'],
  ['no object', '[]', 'is no JSON object of look-ups'],
  ['another service', '{"Orders.place":{}}', 'Orders.place is no operation of Shop'],
  ['another operation', '{"Shop.place":{"by":"Shop.findOrders","input":{}}}', 'there is no operation Shop.place'],
])('refuses %s', async (_, content, message) => {
  writeFileSync(join(folder.path, 'lookups.json'), content);
  const { code, stderr } = await spawnTriglyph(['serve', ...flags('lookups.json')], folder.path);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
});
