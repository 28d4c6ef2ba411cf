/** Refuses requests that pages of other sites make in a browser: the test API has no credentials. */
import { isIP } from 'node:net';
import type { AdminRequest } from '../http/admin-request.ts';

/** Returns why the request is refused, if it is. */
export function foreignCaller(headers: AdminRequest['headers']): string | undefined {
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined || (site !== undefined && site !== 'none' && site !== 'same-origin'))
    return 'the page of another site may not use the test API';
  const host = hostOf(headers.host);
  return host !== undefined && isPrivateName(host)
    ? undefined
    : `the Host header names ${host ?? 'no host'}: use an IP address, localhost or a name without a dot`;
}

function hostOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(header)?.[1]?.toLowerCase();
}

/**
 * Nobody registers a name without a dot, nor one below these domains. So none can be made to lead a browser from its own page
 * to this server, as DNS rebinding does.
 */
function isPrivateName(host: string): boolean {
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) return true;
  return host !== '' && (!host.includes('.') || /\.(?:localhost|internal)$/.test(host));
}
