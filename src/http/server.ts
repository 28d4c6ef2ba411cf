/** The server for callers: node:http with every limit named, and a stop that drops no request. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Config } from '../app/config.ts';
import { Problem } from '../contract/problem.ts';
import { type AppParts, createApp } from './app.ts';
import type { Received } from './receive.ts';

export type CallerServerOptions = Omit<AppParts, 'closing' | 'received'>;

export interface CallerServer {
  /** The port in use, where any free one was asked for. */
  readonly port: number;
  readonly server: Server;
  connections(): number;
  draining(): boolean;
  /**
   * After DRAIN_NOTICE_MS, in which those who watch see it coming: stops accepting, answers what is in flight and what still arrives on open connections, each with
   * `Connection: close`, and resolves when all are closed; after DRAIN_MS_MAX the rest is cut.
   */
  drain(): Promise<void>;
}

const checkEveryMs = 1000;

/** Requests on one connection that wait for their answers. */
const pipelinedMax = 16;

/** Time for a request that a caller sent just before the stop to arrive; idle connections are closed only then. */
const quietMsMax = 1000;

/** A refusal where there is no request to find a format by. */
const plainRefusal = (status: string): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n` +
  `Cache-Control: no-store\r\nContent-Length: ${status.length}\r\nConnection: close\r\n\r\n${status}`;

const statusOf = (code: string | undefined): string => {
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
};

const interruption = (code: string | undefined): Problem => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('timeout');
  const reason = code === 'HPE_INVALID_EOF_STATE' || code === 'ECONNRESET' ? 'aborted' : 'framing';
  return new Problem('badRequest', undefined, { reason });
};

/** Bytes that are no HTTP, or too slow: answered in the caller's format where a request has begun, plainly where none has. */
const refuseConnection = (error: NodeJS.ErrnoException, socket: Duplex, current: Received | undefined): void => {
  if (current !== undefined && !current.response.writableFinished) {
    // Broken in its body, the request is refused; broken behind it, it is answered all the same, and last.
    current.interrupt(interruption(error.code));
    if (error.code === 'ECONNRESET') socket.destroy();
    return;
  }
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(plainRefusal(statusOf(error.code)), () => socket.destroy());
};

/**
 * Who sends requests without reading the answers has them all made and kept in memory: one read of the socket can hold a
 * thousand. Callers of this interface wait for an answer before they ask again, or send a few ahead at most.
 */
const withinPipeline = (handle: RequestListener): RequestListener => {
  const unanswered = new WeakMap<Duplex, number>();
  return (request, response) => {
    const { socket } = request;
    const waiting = (unanswered.get(socket) ?? 0) + 1;
    if (waiting > pipelinedMax) {
      socket.destroy();
      return;
    }
    unanswered.set(socket, waiting);
    response.once('close', () => unanswered.set(socket, unanswered.get(socket)! - 1));
    handle(request, response);
  };
};

/** Node's server with every limit named. */
const createLimited = (config: Config): Server => {
  const server = createServer({
    maxHeaderSize: config.headerBytesMax,
    headersTimeout: config.headersMsMax,
    requestTimeout: config.requestMsMax,
    connectionsCheckingInterval: Math.min(checkEveryMs, config.headersMsMax),
    keepAliveTimeout: config.keepAliveMs,
    insecureHTTPParser: false,
    // Ours to refuse, in the caller's format.
    requireHostHeader: false,
  });
  // One more than allowed is read, so that too many are refused and not silently dropped.
  server.maxHeadersCount = config.headersMax + 1;
  server.maxRequestsPerSocket = config.requestsPerSocketMax;
  server.maxConnections = config.connectionsMax;
  return server;
};

const countConnections = (server: Server): (() => number) => {
  let connections = 0;
  server.on('connection', (socket) => {
    connections++;
    socket.once('close', () => {
      connections--;
    });
  });
  return () => connections;
};

/** Resolves when the last connection is closed, at `drainMsMax` at the latest. */
const stop = (server: Server, drainMsMax: number): Promise<void> =>
  new Promise((resolve) => {
    const quiet = globalThis.setTimeout(() => server.closeIdleConnections(), Math.min(quietMsMax, drainMsMax));
    const last = globalThis.setTimeout(() => server.closeAllConnections(), drainMsMax);
    // Not http's own close, which cuts idle connections at once: a request may be on its way on one of them.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(quiet);
      clearTimeout(last);
      resolve();
    });
  });

export const openCallerServer = async (parts: CallerServerOptions): Promise<CallerServer> => {
  const { config } = parts;
  let stopped: Promise<void> | undefined;
  const draining = (): boolean => stopped !== undefined;
  /** The latest request on each connection. */
  const current = new WeakMap<Duplex, Received>();
  const app = createApp({
    ...parts,
    closing: draining,
    received: (received) => current.set(received.request.socket, received),
  });
  const server = createLimited(config);
  const begin = withinPipeline(app.callback());
  server.on('request', begin);
  // The caller is invited to send its body when the body is wanted, not before.
  server.on('checkContinue', begin);
  server.on('clientError', (error, socket) => refuseConnection(error, socket, current.get(socket)));
  const connections = countConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    server,
    connections,
    draining,
    drain: () => {
      stopped ??= setTimeout(config.drainNoticeMs).then(() => stop(server, config.drainMsMax));
      return stopped;
    },
  };
};
