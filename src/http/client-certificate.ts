/** The client certificate of a caller: that of its TLS connection, or the one that a trusted proxy names in a header. */

import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { BoundedMap } from '../core/lib/index.ts';
import type { HttpOptions } from './options.ts';

type Options = Pick<HttpOptions, 'trustedProxies' | 'clientCertificateHeader'>;

/**
 * Returns the SHA-256 fingerprint as 64 lower-case hexadecimal digits; undefined where the caller has proved no certificate. That
 * of a connection from a trusted proxy is the proxy's own.
 */
export function clientCertificate(request: IncomingMessage, options: Options): string | undefined {
  const { trustedProxies, clientCertificateHeader: header } = options;
  if (!trustedProxies.any || !trustedProxies.includes(request.socket.remoteAddress ?? ''))
    return certificateOfConnection(request.socket as TLSSocket);
  const text = header === undefined ? undefined : request.headers[header];
  return typeof text === 'string' ? certificateInHeader(text) : undefined;
}

const known = new WeakMap<object, string | undefined>();

function certificateOfConnection(socket: TLSSocket): string | undefined {
  // The server asks every caller for a certificate, and accepts connections without a valid one.
  if (socket.encrypted !== true || !socket.authorized) return undefined;
  if (!known.has(socket)) known.set(socket, digits(socket.getPeerX509Certificate()?.fingerprint256));
  return known.get(socket);
}

/** Parsing a certificate takes twenty times as long as all other work of authentication. */
const parsed = new BoundedMap<string, { readonly fingerprint: string | undefined }>(1_000);

/** Accepts a fingerprint, the element of Envoy, and a certificate: in PEM, in base64, or as of RFC 9440. */
function certificateInHeader(text: string): string | undefined {
  const fingerprint = digits(text);
  if (fingerprint !== undefined) return fingerprint;
  return parsed.getOrCreate(text, () => ({ fingerprint: hashOfElement(text) ?? fingerprintOf(text) })).fingerprint;
}

function digits(text: string | undefined): string | undefined {
  const plain = text?.replaceAll(':', '').toLowerCase();
  return plain !== undefined && /^[0-9a-f]{64}$/.test(plain) ? plain : undefined;
}

const pair = /(\w+)=("(?:[^"\\]|\\.)*"|[^",;]*)(?:;|$)/y;

/** The `Hash` of X-Forwarded-Client-Cert. Two elements are refused: callers may have written the first one. */
function hashOfElement(text: string): string | undefined {
  let hash: string | undefined;
  for (pair.lastIndex = 0; pair.lastIndex < text.length; ) {
    const match = pair.exec(text);
    if (match === null) return undefined;
    if (match[1]?.toLowerCase() !== 'hash') continue;
    if (hash !== undefined) return undefined;
    hash = digits(match[2]);
  }
  return hash;
}

function fingerprintOf(text: string): string | undefined {
  // Two headers, joined. Callers may have written the first one.
  if (text.includes(',')) return undefined;
  try {
    const plain = decodeURIComponent(text.replace(/^:(.*):$/, '$1'));
    const certificate = plain.startsWith('-----BEGIN') ? plain : Buffer.from(plain, 'base64');
    return digits(new X509Certificate(certificate).fingerprint256);
  } catch {
    return undefined;
  }
}
