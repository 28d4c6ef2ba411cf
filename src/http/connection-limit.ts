/** Limits the open connections of each address, and of all. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressGroup } from '../core/lib/index.ts';

interface ConnectionLimitOptions {
  /** Of one address; 0 is unlimited. */
  readonly perAddressMax: number;
  readonly connectionsMax: number;
  /** Whether the address is that of a proxy, whose connections are those of many callers. */
  readonly isProxy: (address: string) => boolean;
  readonly onRefused: () => void;
}

/** An address that connects anew at once is slowed down by this. */
const resetAfterMs = 1_000;
const waitingMax = 2_000;

/** Before all other listeners of the server are added: a connection too many reaches neither the HTTP parser nor TLS. */
export function limitConnections(server: Server, options: ConnectionLimitOptions) {
  const { perAddressMax, connectionsMax, isProxy, onRefused } = options;
  const perAddress = new Map<string, number>();
  /** Too many: they are not read, and reset a moment later. */
  const waiting = new Set<Socket>();
  let open = 0;

  function admit(socket: Socket): boolean {
    if (open >= connectionsMax) return false;
    const address = socket.remoteAddress ?? '';
    const isCounted = perAddressMax > 0 && !isProxy(address);
    const group = isCounted ? addressGroup(address) : '';
    const count = perAddress.get(group) ?? 0;
    if (isCounted && count >= perAddressMax) return false;
    open += 1;
    if (isCounted) perAddress.set(group, count + 1);
    socket.once('close', () => {
      open -= 1;
      if (!isCounted) return;
      const left = perAddress.get(group)! - 1;
      if (left === 0) perAddress.delete(group);
      else perAddress.set(group, left);
    });
    return true;
  }

  function refuse(socket: Socket): void {
    onRefused();
    socket.on('error', () => {});
    if (waiting.size >= waitingMax) {
      socket.resetAndDestroy();
      return;
    }
    waiting.add(socket);
    const timer = setTimeout(() => socket.resetAndDestroy(), resetAfterMs);
    socket.once('close', () => {
      clearTimeout(timer);
      waiting.delete(socket);
    });
  }

  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!admit(socket)) refuse(socket);
    else for (const listener of listeners) listener.call(server, socket);
  });
  // Node drops what is beyond all of these, without a listener.
  server.maxConnections = connectionsMax + waitingMax;
  return {
    /** Open connections, without those that are about to be reset. */
    connections: (): number => open,
    /** Resets the connections that wait for it. */
    stop(): void {
      for (const socket of waiting) socket.resetAndDestroy();
    },
  };
}
