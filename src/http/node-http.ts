/** Loads node:http and, where a server has a certificate, node:https. It loads node:http without its getters: an import statement evaluates them all, and with them undici, a fifth of a start. */
import type { Server, ServerOptions } from 'node:http';

export const { createServer } = process.getBuiltinModule('node:http');

/** A certificate with its private key, in PEM. */
export interface TlsOptions {
  readonly key: string;
  readonly cert: string;
}

/** Creates a server of HTTPS where it has a certificate. */
export function createWebServer(options: ServerOptions, tls: TlsOptions | undefined): Server {
  if (tls === undefined) return createServer(options);
  return process.getBuiltinModule('node:https').createServer({ ...options, ...tls });
}
