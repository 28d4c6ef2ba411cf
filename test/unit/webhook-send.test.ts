/** Sends webhook messages to servers that accept, refuse, break off and never answer. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { send } from '../../src/webhooks/send.ts';

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

test('a server that never answers is late, and one that is cut off is stopped', async () => {
  const arrived = Promise.withResolvers<void>();
  const server = await serve(() => arrived.resolve());
  expect(await send(server.origin, message, { ...limits, msMax: 50 })).toEqual({
    kind: 'late',
    because: 'no answer within 50 ms',
  });
  await arrived.promise;
  const cutOff = new AbortController();
  const sent = send(server.origin, message, { ...limits, cutOff: cutOff.signal });
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
