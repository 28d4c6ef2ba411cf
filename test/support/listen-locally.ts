/** Lets servers of tests listen, and finds free ports. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** On a free port of this machine, which it returns. */
export async function listenLocally(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Nothing listens at it. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenLocally(server);
  server.close();
  await once(server, 'close');
  return port;
}
