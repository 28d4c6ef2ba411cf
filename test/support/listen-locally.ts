/** Lets servers of tests listen, and finds free ports. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { reserveForRun } from './once-per-run.ts';

/** On a free port of this machine, which it returns. */
export async function listenLocally(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Below the ports that a system gives to connections and to servers that ask for any. */
const portsFrom = 12_000;
const portsUntil = 30_000;

/**
 * A port at which nothing listens, and which this run gives to no other caller. The system would give a port of its own to another program
 * before the caller's listens, or while that one is restarted.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(portsFrom, portsUntil);
    if ((await isFree(port)) && reserveForRun(`port-${port}`)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
