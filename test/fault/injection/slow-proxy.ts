/** A proxy between the servers and Redis that delays every answer. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface SlowProxy {
  readonly port: number;
  /** Delays every answer from now on, in milliseconds. */
  delay(ms: number): void;
  close(): Promise<void>;
}

/** `target`: a port of this machine. */
export const openSlowProxy = async (target: number): Promise<SlowProxy> => {
  const sockets = new Set<Socket>();
  let delayMs = 0;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', cut);
      socket.on('close', cut);
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes) => upstream.write(bytes));
    // A shorter delay must not let an answer overtake an earlier one.
    let lastAt = 0;
    upstream.on('data', (bytes) => {
      lastAt = Math.max(lastAt, performance.now() + delayMs);
      const waitMs = lastAt - performance.now();
      if (waitMs < 1) client.write(bytes);
      else setTimeout(() => client.writable && client.write(bytes), waitMs);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    delay(ms) {
      delayMs = ms;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
