/** A connection of an attacker or a neighbour: raw bytes out, the status of each answer in. It costs far less than a client library. */
import { connect, type Socket } from 'node:net';

interface ConnectionOptions {
  readonly port: number;
  /** An address of the loopback network: callers with different ones are different callers. */
  readonly from: string;
  readonly onOpen: (connection: Connection) => void;
  /** `retryAfter`: seconds, of the header; 0 without one. */
  readonly onAnswer: (status: number, connection: Connection, retryAfter: number) => void;
  readonly onClose: (connection: Connection) => void;
}

export interface Connection {
  readonly from: string;
  send(bytes: Buffer): void;
  close(): void;
}

const headEnd = Buffer.from('\r\n\r\n');

export function openConnection({ port, from, onOpen, onAnswer, onClose }: ConnectionOptions): Connection {
  const socket: Socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
  const connection: Connection = { from, send: (bytes) => socket.write(bytes), close: () => socket.destroy() };
  let rest: Buffer = Buffer.alloc(0);
  /** Bytes of the body of the current answer that have not arrived. */
  let missing = 0;
  let status = 0;
  let retryAfter = 0;
  socket.on('connect', () => onOpen(connection));
  socket.on('data', (piece: Buffer) => {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (;;) {
      if (missing > 0) {
        const taken = Math.min(missing, rest.length);
        rest = rest.subarray(taken);
        missing -= taken;
        if (missing > 0) return;
        onAnswer(status, connection, retryAfter);
      }
      const end = rest.indexOf(headEnd);
      if (end === -1) return;
      const head = rest.subarray(0, end).toString('latin1');
      status = Number(head.slice(9, 12));
      retryAfter = Number(/\r\nretry-after: (\d+)/i.exec(head)?.[1] ?? 0);
      rest = rest.subarray(end + headEnd.length);
      missing = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (missing === 0) onAnswer(status, connection, retryAfter);
    }
  });
  socket.on('error', () => {});
  socket.on('close', () => onClose(connection));
  return connection;
}

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The bytes of a request. */
export function bytesOf({ method = 'POST', path, headers = {}, body = '' }: Sent): Buffer {
  const all = { Host: 'gateway', ...headers, 'Content-Length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Each of the connections sends when it was answered, until `work` ends. Returns the number of answers. Throws for one without status 200. */
export async function countAnswers(
  {
    port,
    from = '127.0.0.1',
    connections,
  }: { readonly port: number; readonly from?: string; readonly connections: number },
  request: () => Buffer,
  work: () => Promise<unknown>,
): Promise<number> {
  let answers = 0;
  let refused: number | undefined;
  const all = await Promise.all(
    Array.from({ length: connections }, () => {
      const opened = Promise.withResolvers<Connection>();
      openConnection({
        port,
        from,
        onOpen: opened.resolve,
        onAnswer(status, connection) {
          if (status === 200) answers += 1;
          else refused ??= status;
          connection.send(request());
        },
        onClose: () => {},
      });
      return opened.promise;
    }),
  );
  for (const connection of all) connection.send(request());
  await work();
  const answered = answers;
  for (const connection of all) connection.close();
  if (refused !== undefined) throw new Error(`a request was answered with ${refused}`);
  return answered;
}
