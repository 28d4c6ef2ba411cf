/** The HTTP server for callers: node:http with explicit limits and a drain that drops no request. */
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { Problem } from '../../core/contract/index.ts';
import { plainAddress } from '../../core/lib/index.ts';
import { limitConnections } from '../connection-limit.ts';
import { createWebServer } from '../node-http.ts';
import type { HttpOptions } from '../options.ts';
import { endPipeline, limitPipeline } from '../pipeline.ts';
import type { ReceivedRequest } from '../received-request.ts';
import { type SiteServerOptions, siteListener } from '../serve-site.ts';
import type { ServerLog } from '../server-log.ts';
import type { TlsSource } from '../tls.ts';
import { type AppOptions, createApp } from './app.ts';

export interface CallerServerOptions extends Omit<AppOptions, 'closing' | 'onRequest'> {
  readonly serverLog: ServerLog;
  /** The certificate of a server that speaks HTTPS itself. */
  readonly tls?: TlsSource | undefined;
  /** Called for each connection beyond the limits. */
  readonly onConnectionRefused?: () => void;
  /** Absent where callers see services and documents only. */
  readonly site?: SiteServerOptions | undefined;
}

export type CallerServer = Awaited<ReturnType<typeof openCallerServer>>;

const checkEveryMs = 1000;

/** Idle connections stay open this long, for requests that callers sent just before the stop. */
const closeIdleAfterMs = 1000;

export async function openCallerServer(parts: CallerServerOptions) {
  const { options, tls, onConnectionRefused = () => {} } = parts;
  let stopped: Promise<void> | undefined;
  const draining = (): boolean => stopped !== undefined;
  /** The latest request on each connection. */
  const current = new WeakMap<Duplex, ReceivedRequest>();
  const app = createApp({
    ...parts,
    closing: draining,
    onRequest: (received) => {
      current.set(received.request.socket, received);
      if (received.fault !== undefined) endPipeline(received.request.socket);
    },
  });
  const server = createLimitedServer(options, tls);
  const limit = limitConnections(server, {
    perAddressMax: options.connectionsPerAddressMax,
    connectionsMax: options.connectionsMax,
    isProxy: (address) => options.trustedProxies.any && options.trustedProxies.includes(address),
    onRefused: onConnectionRefused,
  });
  const onRequest = limitPipeline(withSite(app.callback(), parts.site));
  server.on('request', onRequest);
  // 100 Continue is sent when the body is read, not before.
  server.on('checkContinue', onRequest);
  // ReceivedRequest refuses other expectations, in the caller's format.
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error, socket) => refuseConnection(error, socket, current.get(socket), parts.serverLog));
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
    socket.on('error', (thrown) => parts.serverLog.connectionBroken(thrown)),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    /** The port in use; another than the configured one if that is 0. */
    port: (server.address() as AddressInfo).port,
    server,
    connections: limit.connections,
    draining,
    /**
     * Waits `drainNoticeMs`, so that load balancers see it on the admin port, then stops accepting connections. Answers
     * requests in flight and those that still arrive on open connections, each with `Connection: close`. Resolves when
     * all connections are closed; closes those left after `msMax`, by default `drainMsMax`.
     */
    drain: (msMax: number = options.drainMsMax): Promise<void> => {
      stopped ??= setTimeout(options.drainNoticeMs).then(() => {
        limit.stop();
        return stop(server, msMax);
      });
      return stopped;
    },
  };
}

/** Servers of callers alone have no site, and spend no time on it. */
function withSite(handle: RequestListener, options: SiteServerOptions | undefined): RequestListener {
  if (options === undefined) return handle;
  const serve = siteListener(options);
  const { site } = options;
  return (request, response) => (site.owns((request.url ?? '').split('?', 1)[0]!) ? serve : handle)(request, response);
}

/** A refusal in plain text, for input without a request whose format could be detected. */
function plainRefusal(status: string): string {
  return (
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n` +
    `Cache-Control: no-store\r\nContent-Length: ${status.length}\r\nConnection: close\r\n\r\n${status}`
  );
}

function statusOf(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
}

function interruption(code: string | undefined): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('timeout');
  const reason = code === 'HPE_INVALID_EOF_STATE' || code === 'ECONNRESET' ? 'aborted' : 'framing';
  return new Problem('badRequest', undefined, { reason });
}

/** Refuses bytes that are no HTTP or come too slowly: in the caller's format if a request has begun, else in plain text. */
function refuseConnection(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  current: ReceivedRequest | undefined,
  serverLog: ServerLog,
): void {
  if (current !== undefined && !current.response.writableFinished) {
    // An error in the body refuses the request. An error after the request does not: it is answered, as the last one.
    current.interrupt(interruption(error.code));
    if (error.code === 'ECONNRESET') socket.destroy();
    return;
  }
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statusOf(error.code);
  const address = plainAddress((socket as Socket).remoteAddress ?? '');
  serverLog.connectionRefused({ status: Number.parseInt(status, 10), reason: error.code ?? error.name, address });
  socket.end(plainRefusal(status), () => socket.destroy());
}

/** Node's server with explicit limits. */
function createLimitedServer(options: HttpOptions, tls: TlsSource | undefined): Server {
  const limits = {
    maxHeaderSize: options.headerBytesMax,
    headersTimeout: options.headersMsMax,
    requestTimeout: options.requestMsMax,
    connectionsCheckingInterval: Math.min(checkEveryMs, options.headersMsMax),
    keepAliveTimeout: options.keepAliveMs,
    insecureHTTPParser: false,
    // ReceivedRequest refuses it, in the caller's format.
    requireHostHeader: false,
  };
  const server = createWebServer(limits, tls);
  // Node drops headers past its limit silently. One more than allowed is read, so that too many can be refused.
  server.maxHeadersCount = options.headersMax + 1;
  server.maxRequestsPerSocket = options.requestsPerSocketMax;
  return server;
}

/** Resolves when the last connection is closed, after `msMax` at the latest. */
function stop(server: Server, msMax: number): Promise<void> {
  return new Promise((resolve) => {
    const closeIdle = globalThis.setTimeout(() => server.closeIdleConnections(), Math.min(closeIdleAfterMs, msMax));
    const closeAll = globalThis.setTimeout(() => server.closeAllConnections(), msMax);
    // http's own close would close idle connections at once, while a request may be on its way on one of them.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(closeIdle);
      clearTimeout(closeAll);
      resolve();
    });
  });
}
