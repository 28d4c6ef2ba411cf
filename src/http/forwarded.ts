/** Who called and under which address they know us: from the connection, or from a trusted proxy's headers. */
import type { IncomingMessage } from 'node:http';
import type { Config } from '../app/config.ts';
import { plainAddress } from './trusted-proxies.ts';

type Proxies = Config['trustedProxies'];

/** Host names and addresses, with or without a port; nothing that could end an attribute or a header. */
const hostLike = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

const entries = (header: string | string[] | undefined): readonly string[] =>
  String(header ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** The last entry is the one that the proxy next to us wrote; those before it, a caller may have. */
const nearest = (header: string | string[] | undefined): string | undefined => entries(header).at(-1);

const behindProxy = (request: IncomingMessage, proxies: Proxies): boolean =>
  proxies.any && proxies.trusts(request.socket.remoteAddress ?? '');

/** The address that the request came from: the last one in the chain that is not a proxy of ours. */
export const clientAddress = (request: IncomingMessage, proxies: Proxies): string => {
  const peer = plainAddress(request.socket.remoteAddress ?? '');
  if (!proxies.any || !proxies.trusts(peer)) return peer;
  const chain = entries(request.headers['x-forwarded-for']).map(plainAddress);
  const stranger = chain.findLast((address) => !proxies.trusts(address)) ?? chain[0];
  // A header is the caller's text: only what looks like an address is one.
  return stranger !== undefined && /^[0-9a-f:.]{2,45}$/i.test(stranger) ? stranger : peer;
};

/**
 * The origin for addresses in served documents, like `https://pay.example.com`: PUBLIC_URL, else the host of the
 * request. A host that does not look like one is not repeated.
 */
export const publicOrigin = (
  request: IncomingMessage,
  config: Pick<Config, 'publicUrl' | 'trustedProxies' | 'port'>,
): string => {
  if (config.publicUrl !== undefined) return config.publicUrl;
  const forwarded = behindProxy(request, config.trustedProxies);
  const host = (forwarded ? nearest(request.headers['x-forwarded-host']) : undefined) ?? request.headers.host ?? '';
  const scheme =
    forwarded && nearest(request.headers['x-forwarded-proto'])?.toLowerCase() === 'https' ? 'https' : 'http';
  return hostLike.test(host) ? `${scheme}://${host}` : `http://localhost:${request.socket.localPort ?? config.port}`;
};
