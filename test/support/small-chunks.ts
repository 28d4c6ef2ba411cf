/**
 * A process with a small heap, which receives bodies in small chunks: `fork` it with their number and what it is. It receives requests and reads no
 * body until all have arrived, or it asks a server for so many answers at once. The plain ones are those of Node and undici, without our code.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { request as ask } from 'undici';
import { Connections } from '../../src/forward/connections.ts';
import { listenLocally } from './listen-locally.ts';
import { echo, openTestShell } from './shell.ts';

const [number = '', kind = '', url = ''] = process.argv.slice(2);
const count = Number(number);
let arrived = 0;
const allArrived = async (): Promise<void> => {
  arrived += 1;
  while (arrived < count) await setImmediate();
};

async function openGateway(): Promise<number> {
  const { port } = await openTestShell(async (wire) => {
    await allArrived();
    return await echo()(wire);
  });
  return port;
}

async function openPlain(): Promise<number> {
  const server = createServer(async (request, response) => {
    await allArrived();
    let length = 0;
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
    });
    await once(request, 'end');
    response.end(JSON.stringify({ length }));
  });
  return await listenLocally(server);
}

/** Returns the lengths of the answers. */
function askFor(get: () => Promise<number>): Promise<readonly number[]> {
  return Promise.all(Array.from({ length: count }, get));
}

function askByGateway(): Promise<readonly number[]> {
  const ms = 60_000;
  const timeouts = { connectMs: ms, headersMs: ms, bodyMs: ms, totalMs: ms };
  const connections = new Connections({ url, timeouts, connections: count, queueMax: 0 });
  return askFor(async () => {
    const { body } = await connections.send({ method: 'GET', path: '/', headers: [], body: null }, ms);
    return body.length;
  });
}

function askPlainly(): Promise<readonly number[]> {
  return askFor(async () => {
    const { body } = await ask(url);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return chunks.length;
  });
}

const kinds: Readonly<Record<string, () => Promise<unknown>>> = { openGateway, openPlain, askByGateway, askPlainly };
process.send?.(await kinds[kind]?.());
