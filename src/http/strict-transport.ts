/** Tells browsers to open a host by HTTPS only (RFC 6797), on pages that they have by HTTPS. */
import type { IncomingMessage } from 'node:http';
import { hostOf, isPrivateName } from './admin-access.ts';
import { publicScheme, requestedHost } from './forwarded.ts';
import type { StrictTransportOptions } from './options.ts';

/** Returns the headers to send: none, or Strict-Transport-Security. */
export function strictTransport(
  request: IncomingMessage,
  options: StrictTransportOptions,
): { readonly 'Strict-Transport-Security'?: string } {
  const value = options.strictTransportSecurity;
  if (value === undefined || publicScheme(request, options.trustedProxies) !== 'https') return {};
  const host = hostOf(requestedHost(request, options.trustedProxies));
  return host === undefined || host === '' || isOpenedByHttp(host, options)
    ? {}
    : { 'Strict-Transport-Security': value };
}

/** The header counts for all ports of a name. So it must not lock people out of a plain admin port, or of other programs on their machine. */
function isOpenedByHttp(host: string, { adminTls, adminHost, adminHosts }: StrictTransportOptions): boolean {
  if (/(?:^|\.)localhost$/.test(host)) return true;
  return !adminTls && (isPrivateName(host) || host === adminHost.toLowerCase() || adminHosts.includes(host));
}
