/** A receiver of webhooks: a real HTTP server that records every delivery and answers as the test says. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Delivery {
  /** The path with its query. */
  readonly path: string;
  /** The id of the event, the same for each delivery. */
  readonly eventId: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The time of arrival, by `performance.now()`. */
  readonly at: number;
  /** The remote port, the same for deliveries over one connection. */
  readonly remotePort: number;
}

/** Ends the response, possibly later or never. `nth`: how often this body has arrived at this path, from 1. */
export type Respond = (response: ServerResponse, delivery: Delivery, nth: number) => unknown;

export interface Receiver {
  /** `http://127.0.0.1:40123` */
  readonly origin: string;
  /** All deliveries in order of arrival. */
  readonly deliveries: readonly Delivery[];
  /** Every delivery to a path. */
  at(path: string): readonly Delivery[];
  /**
   * The first delivery of each event to a path, as a receiver deduplicates them: webhooks arrive at least once. Throws where
   * two deliveries of one event differ.
   */
  eventsAt(path: string): readonly Delivery[];
  respond(path: string, respond: Respond): void;
  /** Closes the port and all connections. */
  close(): Promise<void>;
  /** Listens again on the same port. */
  reopen(): Promise<void>;
}

/** Each format has its own member for the event id; the classic format has none, so its body identifies the event. */
const eventIdOf = (headers: IncomingHttpHeaders, body: string): string => {
  if (headers.eventid !== undefined) return String(headers.eventid);
  const { eventId }: { readonly eventId?: string } = JSON.parse(body);
  return eventId ?? body;
};

const firstOfEach = (deliveries: readonly Delivery[]): readonly Delivery[] => {
  const byEvent = new Map<string, Delivery>();
  for (const delivery of deliveries) {
    const { eventId, body } = delivery;
    const first = byEvent.get(eventId);
    if (first === undefined) byEvent.set(eventId, delivery);
    else if (first.body !== body) throw new Error(`event ${eventId} was sent as ${first.body} and then as ${body}`);
  }
  return [...byEvent.values()];
};

const accept: Respond = (response) => response.end('[accepted]');

export const openReceiver = async (): Promise<Receiver> => {
  const deliveries: Delivery[] = [];
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
        // The connection was cut before the end of the request.
        return;
      }
      const body = Buffer.concat(chunks).toString('utf8');
      const path = request.url ?? '';
      const delivery = {
        path,
        eventId: eventIdOf(request.headers, body),
        headers: request.headers,
        body,
        at: performance.now(),
        remotePort: request.socket.remotePort!,
      };
      deliveries.push(delivery);
      const nth = (counts.get(`${path} ${body}`) ?? 0) + 1;
      counts.set(`${path} ${body}`, nth);
      await (responses.get(path) ?? accept)(response, delivery, nth);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  await listen();
  const at = (path: string) => deliveries.filter((delivery) => delivery.path === path);
  return {
    origin: `http://127.0.0.1:${port}`,
    deliveries,
    at,
    eventsAt: (path) => firstOfEach(at(path)),
    respond: (path, respond) => responses.set(path, respond),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
    reopen: listen,
  };
};
