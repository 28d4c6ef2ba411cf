/** Loads node:http and, where a server has a certificate, node:https. It loads node:http without its getters: an import statement evaluates them all, and with them undici, a fifth of a start. */
import type { Server, ServerOptions } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { secureOptions, type TlsSource } from './tls.ts';

export const { createServer } = process.getBuiltinModule('node:http');

/** Creates a server of HTTPS where it has a certificate. A renewed certificate serves new connections; open ones stay. */
export function createWebServer(options: ServerOptions, tls: TlsSource | undefined): Server {
  if (tls === undefined) return createServer(options);
  const { createServer: createTlsServer } = process.getBuiltinModule('node:https');
  const server: TlsServer = createTlsServer({
    ...options,
    ...secureOptions(tls.current()),
    handshakeTimeout: options.headersTimeout,
  });
  const unsubscribe = tls.subscribe((renewed) => server.setSecureContext(secureOptions(renewed)));
  server.once('close', unsubscribe);
  return server;
}
