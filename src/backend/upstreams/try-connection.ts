/** Tries to connect to an upstream, as far as TLS. It sends no request. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ConfiguredUpstream } from './read-upstream.ts';

/** Rejects with the error of the connection, or after `timeouts.connectMs`. */
export async function tryConnection(upstream: ConfiguredUpstream): Promise<void> {
  const { connectMs } = upstream.timeouts;
  const { socket, connected } = open(upstream);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(connected, resolve);
      socket.once('error', reject);
      socket.setTimeout(connectMs, () => reject(new Error(`no connection within ${connectMs} ms`)));
    });
  } finally {
    socket.destroy();
  }
}

function open({ url, tls }: ConfiguredUpstream): { readonly socket: Socket; readonly connected: string } {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol === 'http:') return { socket: connectTcp(Number(port) || 80, host), connected: 'connect' };
  const { serverName: servername = isIP(host) === 0 ? host : undefined, ...material } = tls;
  const socket = connectTls({ ...material, host, port: Number(port) || 443, ...(servername && { servername }) });
  return { socket, connected: 'secureConnect' };
}
