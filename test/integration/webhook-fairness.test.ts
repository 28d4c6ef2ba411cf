/** Tests that an endpoint gets its events while hostile endpoints hold their places, with real servers. The control shares no places. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { recurringEvent } from '../../src/payments/recurring/events.ts';
import { createDeliveryHandler } from '../../src/stores/jobs/webhooks/deliver.ts';
import type { EndpointLimiter } from '../../src/stores/jobs/webhooks/endpoint-limiter.ts';
import { keyScope } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import { startWorker } from '../../src/stores/jobs/worker.ts';
import { createJobs } from '../../src/stores/sql/jobs.ts';
import { createEndpoints } from '../../src/stores/sql/webhook-endpoints.ts';
import { createStore } from '../../src/stores/store.ts';
import { openMigratedSqlite } from '../support/databases.ts';
import { openReceiver } from '../support/receiver.ts';
import { webhookFormats } from '../support/services.ts';
import { until } from '../support/until.ts';
import { vault } from './samples.ts';

/** A delivery to a silent endpoint holds its place for longer than a test takes. */
const deliveryMsMax = 3_600_000;

const ends: (() => unknown)[] = [];
async function closeAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
afterEach(closeAll);

/** What a hostile endpoint does with a connection once it has the request. */
type Behaviour = (socket: Socket) => void;

const every = (ms: number, text: string, socket: Socket): void => {
  const timer = setInterval(() => socket.write(text), ms);
  socket.on('close', () => clearInterval(timer));
};

const head = 'HTTP/1.1 200 OK\r\n';
const behaviours: readonly Behaviour[] = [
  () => {},
  (socket) => {
    socket.write(head);
    every(100, 'x-more: y\r\n', socket);
  },
  (socket) => {
    socket.write(`${head}content-length: 1000000\r\n\r\n`);
    every(100, 'x', socket);
  },
  (socket) => {
    socket.write(`${head}content-length: 1000000000\r\n\r\n`);
    every(1, 'x'.repeat(16_384), socket);
  },
  (socket) => every(20, 'HTTP/1.1 102 Processing\r\n\r\n', socket),
  (socket) => {
    socket.write(head);
    every(1, `x-more: ${'y'.repeat(4_000)}\r\n`, socket);
  },
  (socket) =>
    socket.end('HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n'),
  (socket) => socket.end('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n'),
];

async function openHostile(behave: Behaviour): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', () => behave(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A process that delivers webhooks, and its store. */
async function openDelivery(limiter?: Pick<EndpointLimiter, 'enter'>) {
  const { engine, close } = await openMigratedSqlite();
  const jobs = createJobs(engine);
  const endpoints = createEndpoints(engine);
  const handler = createDeliveryHandler({
    ...{ jobs, endpoints, vault, deliveryMsMax, ...(limiter && { limiter }) },
    formats: webhookFormats,
    environment: 'test',
    giveUpMs: 3_600_000,
    count: () => {},
  });
  const worker = startWorker({ jobs, leaseOwner: 'here', failed: (thrown) => console.error(thrown) }, handler);
  const store = createStore(engine, { shared: [webhookFormats], onJobSaved: () => worker.nudge() });
  ends.push(async () => {
    await worker.stop(AbortSignal.abort());
    await close();
  });
  let sent = 0;
  return {
    async listen(tenant: string, url: string): Promise<void> {
      const endpointId = `we_${tenant}`;
      const sealed = vault.seal(keyScope({ tenant, endpointId }), { payload: 'ab'.repeat(32) });
      await endpoints.add({ tenant, endpointId, url, format: 'tokenization', sealed, createdAt: 1 });
    },
    async enqueue(tenant: string, events = 1): Promise<string> {
      sent += 1;
      const requestReference = `P${sent}`;
      const ofShopper = (n: number) =>
        recurringEvent({
          kind: 'created',
          merchantAccount: 'DemoMerchant',
          shopperReference: `shopper-${sent}-${n}`,
          recurringDetailReference: 'detail',
          variant: 'visa',
          firstPspReference: 'FIRST',
        });
      const all = Array.from({ length: events }, (_, n) => ofShopper(n));
      await store.write((tx) => tx.outbox.enqueue({ tenant, requestReference, at: 1, events: all }));
      return requestReference;
    },
  };
}

/** Resolves when a backlog for hostile endpoints waits, of which some deliveries hold their places. More follows. */
async function deliverBeside(hostile: number, limiter?: Pick<EndpointLimiter, 'enter'>) {
  const delivery = await openDelivery(limiter);
  const good = await openReceiver();
  ends.push(() => good.close());
  await delivery.listen('Good', `${good.origin}/`);
  const names = Array.from({ length: hostile }, (_, at) => `Hostile${at}`);
  for (const [at, name] of names.entries())
    await delivery.listen(name, await openHostile(behaviours[at % behaviours.length]!));
  await delivery.enqueue('Good');
  await until('the first event', () => good.deliveries.length === 1);
  for (const name of names) await delivery.enqueue(name, Math.ceil(240 / hostile));
  const more = setInterval(() => {
    for (const name of names) void delivery.enqueue(name).catch(() => {});
  }, 200);
  ends.push(() => clearInterval(more));
  await setTimeout(1_000);
  return { delivery, good };
}

/** All deliveries share the places of the worker, the first ones first. */
const unlimited: Pick<EndpointLimiter, 'enter'> = { enter: async () => ({ leave: () => {} }) };

describe.each([1, 5, 20])('beside %d hostile endpoints', (hostile) => {
  test('the events of a good endpoint arrive', async () => {
    const { delivery, good } = await deliverBeside(hostile);
    const sent = new Set<string>();
    for (let event = 0; event < 15; event += 1) {
      sent.add(await delivery.enqueue('Good'));
      await setTimeout(60);
    }
    const arrived = () => new Set(good.deliveries.map(({ eventId }) => eventId).filter((id) => sent.has(id)));
    await until('the events', () => arrived().size === sent.size);
  });

  test('control: without shares they wait', async () => {
    const { delivery, good } = await deliverBeside(hostile, unlimited);
    await delivery.enqueue('Good');
    await setTimeout(1_500);
    expect(good.deliveries).toHaveLength(1);
  });
});
