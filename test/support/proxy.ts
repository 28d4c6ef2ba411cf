/** A TCP proxy that closes the connection when it reads a given text, delays answers, and lets connections hang. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TestProxy {
  readonly port: number;
  /** Closes the next connection on which the client sends the text: before forwarding it, or before the response arrives. */
  cut(word: string, when: 'before the server receives' | 'before the client receives'): void;
  /** Delays every answer from now on, in milliseconds. */
  delay(ms: number): void;
  /** Closes all connections. New ones lead to another local port. */
  lead(target: number): void;
  /** Connections that exist stay open and carry nothing more, as after a cut cable. New ones work. */
  freeze(): void;
  close(): Promise<void>;
}

/** Opens a proxy in front of a local port. */
export const openProxy = async (first: number): Promise<TestProxy> => {
  let target = first;
  const sockets = new Set<Socket>();
  let delayMs = 0;
  let order: { readonly word: string; readonly when: string } | undefined;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    let deaf = false;
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
    client.on('data', (bytes) => {
      const found = order !== undefined && bytes.includes(order.word);
      if (found && order?.when === 'before the server receives') {
        order = undefined;
        cut();
        return;
      }
      if (found) {
        order = undefined;
        deaf = true;
      }
      upstream.write(bytes);
    });
    // A shorter delay must not let an answer overtake an earlier one.
    let lastAt = 0;
    upstream.on('data', (bytes) => {
      if (deaf) return cut();
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
    cut(word, when) {
      order = { word, when };
    },
    delay(ms) {
      delayMs = ms;
    },
    lead(next) {
      target = next;
      for (const socket of sockets) socket.destroy();
    },
    freeze() {
      for (const socket of sockets) socket.pause();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
