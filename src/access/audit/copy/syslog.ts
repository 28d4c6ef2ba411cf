/** Sends lines to a syslog server: datagrams, or a stream over TCP, TLS or a Unix socket. */
import { createSocket } from 'node:dgram';
import { connect, isIPv6, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { CopyTarget, LineTarget } from './target.ts';

type UdpTarget = Extract<CopyTarget, { readonly kind: 'udp' }>;
type StreamTarget = Exclude<CopyTarget, { readonly kind: 'file' | 'udp' }>;

/** A message that a network loses is lost: UDP reports nothing. */
export function openUdp({ host, port }: UdpTarget): LineTarget {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  socket.unref();
  socket.on('error', () => {});
  return Object.freeze<LineTarget>({
    async write(lines) {
      for (const line of lines)
        await new Promise<void>((resolve, reject) => {
          socket.send(line, port, host, (thrown) => (thrown ? reject(thrown) : resolve()));
        });
    },
    close: () => socket.close(),
  });
}

const connectMsMax = 5_000;

/** Connects again for the batch after a failure. What a broken connection had not delivered is lost without a sign. */
export function openStream(target: StreamTarget): LineTarget {
  let current: Socket | undefined;
  return Object.freeze<LineTarget>({
    async write(lines) {
      if (current === undefined || current.destroyed) current = await openSocket(target);
      const socket = current;
      const text = lines.map((line) => frame(target, line)).join('');
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.write(text, (thrown) => {
          socket.off('error', reject);
          if (thrown) reject(thrown);
          else resolve();
        });
      });
    },
    close: () => current?.end(),
  });
}

/** Octet counting for networks (RFC 5425, RFC 6587); readers of Unix sockets split lines. */
function frame({ kind }: StreamTarget, line: string): string {
  return kind === 'unix' ? `${line}\n` : `${Buffer.byteLength(line)} ${line}`;
}

function openSocket(target: StreamTarget): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = start(target);
    socket.setTimeout(connectMsMax, () => socket.destroy(new Error('the syslog server does not answer')));
    socket.once('error', reject);
    socket.once(target.kind === 'tls' ? 'secureConnect' : 'connect', () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      // A later failure shows at the next write.
      socket.on('error', () => {});
      socket.unref();
      // The end of the other side is only seen by a stream that is read.
      socket.resume();
      resolve(socket);
    });
  });
}

function start(target: StreamTarget): Socket {
  switch (target.kind) {
    case 'unix':
      return connect(target.path);
    case 'tcp':
      return connect(target.port, target.host);
    case 'tls':
      return connectTls({
        port: target.port,
        host: target.host,
        ...(isName(target.host) && { servername: target.host }),
      });
    default:
      return target satisfies never;
  }
}

/** A certificate names no address by SNI. */
function isName(host: string): boolean {
  return !isIPv6(host) && !/^[\d.]+$/.test(host);
}
