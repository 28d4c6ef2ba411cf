/** The caller's address and our public origin, from the connection or from the headers of a trusted proxy. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type Networks, plainAddress } from '../core/lib/index.ts';
import type { HttpOptions } from './options.ts';

/** Host names and addresses, with or without a port. No character in it can end an attribute or a header. */
const hostLike = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** The address that the request came from: the last one in the chain that is not a trusted proxy. */
export function clientAddress(request: IncomingMessage, proxies: Networks): string {
  const peer = plainAddress(request.socket.remoteAddress ?? '');
  if (!proxies.any || !proxies.includes(peer)) return peer;
  const chain = entries(request.headers['x-forwarded-for']).map(withoutPort).map(plainAddress);
  const caller = chain.findLast((address) => !proxies.includes(address)) ?? chain[0];
  // The header may be text of the caller.
  return caller !== undefined && isIP(caller) > 0 ? caller : peer;
}

/** Some proxies write the port of the caller: with it, each connection would be another address. */
function withoutPort(entry: string): string {
  const [, address = entry] = /^([\d.]+):\d+$/.exec(entry) ?? /^\[([\da-f:.]+)\](?::\d+)?$/i.exec(entry) ?? [];
  return address;
}

/**
 * The origin for addresses in served documents, like `https://pay.example.com`: the configured one, else that of the
 * request. A Host header that does not look like a host is replaced by localhost.
 */
export function publicOrigin(
  request: IncomingMessage,
  options: Pick<HttpOptions, 'publicUrl' | 'trustedProxies' | 'port'>,
): string {
  if (options.publicUrl !== undefined) return options.publicUrl;
  const host = requestedHost(request, options.trustedProxies);
  return `${publicScheme(request, options.trustedProxies)}://${hostLike.test(host) ? host : `localhost:${request.socket.localPort ?? options.port}`}`;
}

/** The Host header that the caller sent, to this server or to a trusted proxy. It may be any text. */
export function requestedHost(request: IncomingMessage, proxies: Networks): string {
  const forwarded = isFromProxy(request, proxies) ? nearest(request.headers['x-forwarded-host']) : undefined;
  return forwarded ?? request.headers.host ?? '';
}

/** The scheme that the caller used: that of the connection, or of the connection to a trusted proxy. */
export function publicScheme(request: IncomingMessage, proxies: Networks): 'http' | 'https' {
  const isSecure = 'encrypted' in request.socket && request.socket.encrypted === true;
  if (isSecure) return 'https';
  const proxied = isFromProxy(request, proxies) ? nearest(request.headers['x-forwarded-proto']) : undefined;
  return proxied?.toLowerCase() === 'https' ? 'https' : 'http';
}

function entries(header: string | string[] | undefined): readonly string[] {
  return String(header ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** The last entry was written by the nearest proxy. A caller may have written those before it. */
function nearest(header: string | string[] | undefined): string | undefined {
  return entries(header).at(-1);
}

/** Whether the connection is that of a trusted proxy. */
export function isFromProxy(request: IncomingMessage, proxies: Networks): boolean {
  return proxies.any && proxies.includes(request.socket.remoteAddress ?? '');
}
