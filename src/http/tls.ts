/** TLS of a server: its certificate, the protocol versions and ciphers that it accepts, and client certificates. */
import { constants } from 'node:crypto';
import type { TlsOptions as NodeTlsOptions, SecureVersion } from 'node:tls';

/** A certificate with its private key, in PEM. */
export interface TlsOptions {
  readonly key: string;
  readonly cert: string;
  /** The authorities of client certificates, in PEM. Absent where callers are not asked for one. */
  readonly clientCa?: string | undefined;
  /** By default `TLSv1.2`. */
  readonly minVersion?: SecureVersion | undefined;
}

/** The certificate of a server, which may be renewed while it serves. */
export interface TlsSource {
  current(): TlsOptions;
  /** Calls the listener with each renewed certificate. Returns a function that ends that. */
  subscribe(listener: (renewed: TlsOptions) => void): () => void;
}

/** A certificate that is never renewed. */
export function fixedTls(options: TlsOptions): TlsSource {
  return Object.freeze({ current: () => options, subscribe: () => () => {} });
}

/** Those with forward secrecy and authenticated encryption. TLS 1.3 has no others. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** Complete, so that new defaults of Node change nothing. */
export function secureOptions({ key, cert, clientCa, minVersion = 'TLSv1.2' }: TlsOptions): NodeTlsOptions {
  return {
    key,
    cert,
    minVersion,
    maxVersion: 'TLSv1.3',
    ciphers,
    // A client that asks for it in TLS 1.2 makes the server sign again and again. Node would allow three in ten minutes.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    // Credentials say whether they require a certificate, so that the refusal has the format of the caller.
    ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: false }),
  };
}

/** Throws where a server cannot use the certificate. */
export function checkTls(options: TlsOptions): void {
  process.getBuiltinModule('node:tls').createSecureContext(secureOptions(options));
}
