/** A server in a process of its own, which reads no body until all requests have arrived: `fork` it with their number, and `plain` for Node's own server. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { listenLocally } from './listen-locally.ts';
import { echo, openTestShell } from './shell.ts';

const [count = '', kind] = process.argv.slice(2);
let arrived = 0;
const allArrived = async (): Promise<void> => {
  arrived += 1;
  while (arrived < Number(count)) await setImmediate();
};

if (kind === 'plain') {
  const server = createServer(async (request, response) => {
    await allArrived();
    let length = 0;
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
    });
    await once(request, 'end');
    response.end(JSON.stringify({ length }));
  });
  process.send?.(await listenLocally(server));
} else {
  const { port } = await openTestShell(async (wire) => {
    await allArrived();
    return await echo()(wire);
  });
  process.send?.(port);
}
