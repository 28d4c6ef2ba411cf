/** The peers: bare Koa, Fastify and the server of the `soap` package read an order from SQLite. For measurements on loopback only. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { bodyParser } from '@koa/bodyparser';
import { fastify } from 'fastify';
import Koa from 'koa';
import { listen } from 'soap';

interface Key {
  readonly shop: string;
  readonly number: string;
}

const port = Number(process.env.PORT);
const database = new DatabaseSync(process.env.DATABASE!, { readOnly: true });
const statement = database.prepare(
  'select item, quantity from example_order where tenant = ? and shop = ? and number = ?',
);
const find = ({ shop, number }: Key) => ({ shop, number, ...statement.get('acme', shop, number) });

const peers: Readonly<Record<string, () => unknown>> = { bareKoa, fastify: serveFastify, soapPackage };
peers[process.env.PEER!]!();
process.once('SIGTERM', () => process.exit());

function bareKoa(): void {
  const app = new Koa();
  app.use(bodyParser());
  app.use((context) => {
    context.body = find((context.request.body ?? {}) as Key);
  });
  app.listen(port, '127.0.0.1');
}

async function serveFastify(): Promise<void> {
  const app = fastify();
  const text = { type: 'string' };
  const body = { type: 'object', required: ['shop', 'number'], properties: { shop: text, number: text } };
  app.post<{ Body: Key }>('/orders/v1/getOrder', { schema: { body } }, (request) => find(request.body));
  app.get('/ready', () => 'ready');
  await app.listen({ port, host: '127.0.0.1' });
}

function soapPackage(): void {
  const handlers = { getOrder: find };
  const xml = readFileSync(process.env.WSDL!, 'utf8');
  const server = createServer((_, response) => response.end());
  server.listen(port, '127.0.0.1', () => {
    listen(server, {
      path: '/orders/v1',
      services: { Orders: { OrdersHttpPort: handlers, OrdersHttpPort12: handlers } },
      xml,
    });
  });
}
