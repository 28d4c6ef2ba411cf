/** A receiver of webhooks: a real HTTP server that keeps a journal of all that arrives, and answers as the test says. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Delivery {
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** As `performance.now()` has it. */
  readonly at: number;
  /** The port at the other end, which is the same for deliveries over one connection. */
  readonly remotePort: number;
}

/** Ends the answer, some time or never. `nth`: how often this body has arrived at this path, from 1. */
export type Respond = (response: ServerResponse, delivery: Delivery, nth: number) => unknown;

export interface Receiver {
  /** `http://127.0.0.1:40123` */
  readonly origin: string;
  /** In the order of their arrival. */
  readonly journal: readonly Delivery[];
  /** Those at a path. */
  at(path: string): readonly Delivery[];
  respond(path: string, respond: Respond): void;
  /** Nobody listens any more, and open connections are cut. */
  close(): Promise<void>;
  /** Listens again, at the same port. */
  reopen(): Promise<void>;
}

const accept: Respond = (response) => response.end('[accepted]');

export const openReceiver = async (): Promise<Receiver> => {
  const journal: Delivery[] = [];
  const responses = new Map<string, Respond>();
  const counts = new Map<string, number>();
  let port = 0;
  let server: Server;
  const listen = async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of request) chunks.push(chunk as Buffer);
      } catch {
        // Cut off before its end: it has not arrived.
        return;
      }
      const body = Buffer.concat(chunks).toString('utf8');
      const path = request.url ?? '';
      const delivery = {
        path,
        headers: request.headers,
        body,
        at: performance.now(),
        remotePort: request.socket.remotePort!,
      };
      journal.push(delivery);
      const nth = (counts.get(`${path} ${body}`) ?? 0) + 1;
      counts.set(`${path} ${body}`, nth);
      await (responses.get(path) ?? accept)(response, delivery, nth);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  await listen();
  return {
    origin: `http://127.0.0.1:${port}`,
    journal,
    at: (path) => journal.filter((delivery) => delivery.path === path),
    respond: (path, respond) => responses.set(path, respond),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
    reopen: listen,
  };
};
