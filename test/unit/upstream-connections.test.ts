/** The limits of an answer whose large values go to a file: what remains of it in memory is counted to its last piece. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Spool, SpoolSpace } from '../../src/lib/spool/spool.ts';
import { Connections } from '../../src/upstream/connections.ts';
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

beforeAll(async () => {
  const port = await listenLocally(server);
  const ms = 5_000;
  connections = new Connections({
    url: `http://127.0.0.1:${port}`,
    timeouts: { connectMs: ms, headersMs: ms, bodyMs: ms, totalMs: ms },
    connections: 1,
    queueMax: 0,
    responseBytesMax: heldMax,
  });
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
