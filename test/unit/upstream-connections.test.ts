/** Connections to a server: the limits of an answer whose large values go to a file, and which connections are used again. */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createRawServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Spool, SpoolSpace } from '../../src/core/spool/spool.ts';
import { Connections } from '../../src/forward/connections.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { tempFolder } from '../support/temp-folder.ts';

const heldMax = 20_000;
const folder = tempFolder();
/** No value of it is base64. */
const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('"'.padEnd(16_384, ' -'));
  // In a piece of its own.
  setTimeout(() => response.end('"'.padStart(Number(request.url?.slice(1)) - 16_384, ' -')), 20);
});
let connections: Connections;

function openConnections(port: number): Connections {
  const ms = 5_000;
  return new Connections({
    url: `http://127.0.0.1:${port}`,
    timeouts: { connectMs: ms, headersMs: ms, bodyMs: ms, totalMs: ms },
    connections: 1,
    queueMax: 0,
    responseBytesMax: heldMax,
  });
}

beforeAll(async () => {
  connections = openConnections(await listenLocally(server));
});
afterAll(async () => {
  await connections.close();
  server.close();
  await once(server, 'close');
  folder.discard();
});

test.each([
  [heldMax, `${heldMax} bytes`],
  [heldMax + 1, 'tooLarge'],
])('an answer of %i bytes without large values: %s', async (bytes, outcome) => {
  const spool = new Spool(new SpoolSpace({ folder: folder.path, bytesMax: 1e6, onFull: () => {} }));
  const large = { spool, spooling: { valueBytesMin: 1_000, charactersMin: 1_334 }, bytesMax: 1e6 };
  const request = { method: 'GET', path: `/${bytes}`, headers: [], body: null };
  const answered = connections.send(request, 5_000, large).then(({ body }) => `${body.length} bytes`);
  expect(await answered.catch(({ reason }: { readonly reason: string }) => reason)).toBe(outcome);
  await spool.close();
});

/** More than the kernel takes from a program at once, on both sides. */
const longBody = Buffer.alloc(32_000_000, 'a');
const shortBody = Buffer.from('GET /forged HTTP/1.1\r\nHost: a\r\n\r\n');

describe('a connection is used again', () => {
  const sockets: Socket[] = [];
  const executed: string[] = [];
  /** Answers at the end of each head. It reads the bodies of POST, and takes any other for its next request, unless the connection is to end. */
  const raw = createRawServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      for (const head of bytes.toString('latin1').split('\r\n\r\n')) {
        const [, method, path] = /^([A-Z]+) (\S*) HTTP/.exec(head) ?? [];
        if (path === undefined) return;
        executed.push(path);
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
        if (/^connection: close$/im.test(head)) socket.end();
        if (/^connection: close$/im.test(head) || method === 'POST') return;
      }
    });
  });
  let port: number;
  beforeAll(async () => {
    port = await listenLocally(raw);
  });
  afterAll(() => {
    raw.close();
  });

  test.each([
    ['after a request without a body', 'GET', null, 1],
    ['after a request whose body servers read', 'POST', shortBody, 1],
    ...['GET', 'DELETE', 'OPTIONS'].map(
      (method) => [`not after a ${method} with a body`, method, shortBody, 2] as const,
    ),
    ['not after an answer that came before the body was sent', 'POST', longBody, 2],
  ] as const)('%s', async (_, method, body, count) => {
    const toRaw = openConnections(port);
    await toRaw.send({ method, path: '/first', headers: [], body }, 5_000);
    await toRaw.send({ method: 'GET', path: '/second', headers: [], body: null }, 5_000);
    await toRaw.close();
    const opened = sockets.splice(0);
    for (const each of opened) each.destroy();
    expect([executed.splice(0), opened.length]).toEqual([['/first', '/second'], count]);
  });
});
