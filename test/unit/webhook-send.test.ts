/** Sends webhook messages to servers that accept, refuse, break off and never answer. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createLookup, isForbiddenAddress } from '../../src/core/lib/forbidden-address.ts';
import { send } from '../../src/stores/jobs/webhooks/send.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<Server & { readonly origin: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return Object.assign(server, { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

const message = { body: '{"name":"Zoë"}', headers: { hmacsignature: 'abc' } };
const limits = { msMax: 20_000, cutOff: new AbortController().signal };

test('a message arrives whole, and the next one takes the same connection', async () => {
  const received: unknown[] = [];
  let connections = 0;
  const server = await serve(async (request, response) => {
    const chunks = await request.toArray();
    received.push({
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: String(Buffer.concat(chunks)),
    });
    response.writeHead(202).end('[accepted]');
  });
  server.on('connection', () => {
    connections += 1;
  });
  for (let sent = 0; sent < 3; sent++)
    expect(await send(`${server.origin}/hooks?for=us`, message, limits)).toEqual({ kind: 'accepted' });
  expect(received).toHaveLength(3);
  expect(received[2]).toMatchObject({
    method: 'POST',
    url: '/hooks?for=us',
    headers: {
      'content-type': 'application/json',
      'content-length': '15',
      'user-agent': 'triglyph',
      hmacsignature: 'abc',
    },
    body: message.body,
  });
  expect(connections).toBe(1);
});

test('a redirect is a refusal, and is not followed', async () => {
  const elsewhere = await serve((_, response) => response.end());
  let followed = 0;
  elsewhere.on('request', () => {
    followed += 1;
  });
  const server = await serve((_, response) => response.writeHead(307, { Location: elsewhere.origin }).end());
  expect(await send(server.origin, message, limits)).toEqual({ kind: 'refused', because: 'it answered 307' });
  expect(followed).toBe(0);
});

test('the status decides where the rest of the answer breaks off or never ends', async () => {
  const broken = await serve((_, response) => {
    response.writeHead(200, { 'Content-Length': '100' }).write('x');
    setImmediate(() => response.destroy());
  });
  expect(await send(broken.origin, message, limits)).toEqual({ kind: 'accepted' });
  const endless = await serve((_, response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    };
    response.writeHead(500).on('drain', write);
    write();
  });
  expect(await send(endless.origin, message, limits)).toEqual({ kind: 'refused', because: 'it answered 500' });
});

test('a response that trickles, or that never begins after informational ones, holds no delivery to its limit', async () => {
  const timers: NodeJS.Timeout[] = [];
  const trickling = await serve((_, response) => {
    response.writeHead(202);
    timers.push(setInterval(() => response.write('x'), 20));
  });
  const talking = await serve((_, response) => {
    timers.push(setInterval(() => response.writeProcessing(), 5));
  });
  // Longer than the time limit of the test.
  const long = { ...limits, msMax: 3_600_000 };
  expect(await send(trickling.origin, message, long)).toEqual({ kind: 'accepted' });
  expect(await send(talking.origin, message, long)).toEqual({
    kind: 'unreachable',
    because: 'it could not be reached: ENDLESS_INFORMATION',
  });
  for (const timer of timers) clearInterval(timer);
});

test('a head without an end is refused by its size', async () => {
  const server = await serve((request) => {
    const { socket } = request;
    socket.write('HTTP/1.1 200 OK\r\n');
    const write = () => {
      while (!socket.destroyed && socket.write(`x-more: ${'x'.repeat(1_000)}\r\n`));
    };
    socket.on('drain', write).on('error', () => {});
    write();
  });
  expect(await send(server.origin, message, limits)).toEqual({
    kind: 'unreachable',
    because: 'it could not be reached: HPE_HEADER_OVERFLOW',
  });
});

test('a server that never answers is late, and one that is cut off is stopped', async () => {
  const arrived = Promise.withResolvers<void>();
  const server = await serve(() => arrived.resolve());
  const cutOff = new AbortController();
  const sent = send(server.origin, message, { ...limits, msMax: 3_600_000, cutOff: cutOff.signal });
  await arrived.promise;
  expect(await send(server.origin, message, { ...limits, msMax: 50 })).toEqual({
    kind: 'late',
    because: 'no answer within 50 ms',
  });
  cutOff.abort();
  expect(await sent).toEqual({ kind: 'stopped' });
});

test('an endpoint that cannot be reached is named by the code of the error', async () => {
  const server = await serve((_, response) => response.end());
  const noTls = await send(server.origin.replace('http:', 'https:'), message, limits);
  expect(noTls).toEqual({ kind: 'unreachable', because: expect.stringMatching(/reached: (EPROTO|ERR_SSL_\w+)$/) });
  server.close();
  expect(await send(server.origin, message, limits)).toEqual({
    kind: 'unreachable',
    because: 'it could not be reached: ECONNREFUSED',
  });
});

/** A resolver whose answers change from one question to the next, as in DNS rebinding. */
const rebinding = (...answers: readonly (readonly string[])[]) => {
  let asked = 0;
  const resolve: Parameters<typeof createLookup>[0]['resolve'] = (_, __, callback) => {
    const addresses = answers[asked++] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { resolve, asked: () => asked };
};
const notAllowed = { kind: 'unreachable', because: 'it could not be reached: ADDRESS_NOT_ALLOWED' };

test('a name is refused by the address it leads to; with the rule off, the same request arrives', async () => {
  let requests = 0;
  const { origin } = await serve((_, response) => {
    requests += 1;
    response.writeHead(200, { Connection: 'close' }).end();
  });
  const url = origin.replace('127.0.0.1', 'endpoint.example.com');
  const sendWith = (isForbidden: (address: string) => boolean) =>
    send(url, message, { ...limits, lookup: createLookup({ resolve: rebinding(['127.0.0.1']).resolve, isForbidden }) });
  expect(await sendWith((address) => address === '127.0.0.1')).toEqual(notAllowed);
  expect(requests).toBe(0);
  expect(await sendWith(() => false)).toEqual({ kind: 'accepted' });
  expect(requests).toBe(1);
});

test.each([
  [['169.254.169.254']],
  [['fe80::1', '169.254.169.254']],
  [['64:ff9b::a9fe:a9fe']],
  [['192.0.0.192', 'fe80::1%eth0']],
  [['no address']],
])('a name that resolves to %j only is not connected to', async (addresses) => {
  const { resolve } = rebinding(addresses);
  const lookup = createLookup({ resolve, isForbidden: isForbiddenAddress });
  expect(await send('http://endpoint.example.com:9/', message, { ...limits, lookup })).toEqual(notAllowed);
});

test('a name is resolved once for a connection, and the checked address is the one connected to', async () => {
  const { origin } = await serve((_, response) => response.writeHead(200, { Connection: 'close' }).end());
  const { resolve, asked } = rebinding(['fe80::1', '127.0.0.1'], ['169.254.169.254']);
  const lookup = createLookup({ resolve, isForbidden: isForbiddenAddress });
  const url = origin.replace('127.0.0.1', 'rebound.example.com');
  expect(await send(url, message, { ...limits, lookup })).toEqual({ kind: 'accepted' });
  expect(asked()).toBe(1);
  // The next connection asks again, and is checked again.
  expect(await send(url, message, { ...limits, lookup })).toEqual(notAllowed);
  expect(asked()).toBe(2);
});

test('an endpoint stored with a forbidden address is not connected to', async () => {
  for (const host of ['169.254.169.254', '192.0.0.192', '[fe80::1]', '[2002:a9fe:a9fe::]', '[::ffff:c000:c0]'])
    expect(await send(`http://${host}/`, message, limits)).toEqual(notAllowed);
});
