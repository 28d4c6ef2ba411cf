/** Starts the HTTP server around a handler of the test, and writes raw bytes to it. */
import { connect, type Socket } from 'node:net';
import { Problem } from '../../src/core/contract/problem.ts';
import type { WireRequest } from '../../src/core/formats/wire.ts';
import type { Answer, LogEntry } from '../../src/core/gateway/answer.ts';
import type { HttpFacts, RequestObserver } from '../../src/core/gateway/request-observer.ts';
import type { Document, Documents } from '../../src/http/middleware/documents.ts';
import { type CallerServer, type CallerServerOptions, openCallerServer } from '../../src/http/server/server.ts';
import type { ConnectionRefusal, ServerLog } from '../../src/http/server-log.ts';
import { readConfig } from './services.ts';

const contentType = 'application/json; charset=utf-8';
export const pageOfWrongAddress = (): Document => ({
  contentType: 'text/html; charset=utf-8',
  body: '<p>nothing</p>',
  etag: '"nothing"',
});
const pspReference = 'QFQTPCQ8HXSKGK82';
const none: Documents = { findInSteps: async () => undefined, findPage: () => undefined, pageOfWrongAddress };

/** Returns the request that it received; refuses as the gateway does, in its own format with the problem's status. */
export const echo =
  (work: (wire: WireRequest) => Promise<void> = async () => {}) =>
  async (wire: WireRequest): Promise<Answer> => {
    const entry = { protocol: 'json', requestReference: pspReference, operation: 'echo', version: 25 };
    try {
      wire.inspect(wire.path.startsWith('/needs-host'));
      if (wire.path === '/secret') {
        throw new Problem('unauthorized', undefined, { headers: { 'WWW-Authenticate': 'Basic realm="test"' } });
      }
      const length = wire.method === 'POST' ? (await wire.body()).length : 0;
      await work(wire);
      const body = JSON.stringify({ method: wire.method, path: wire.path, length });
      return {
        message: { status: 200, contentType, headers: { pspReference }, body },
        entry: { ...entry, outcome: 'ok' },
      };
    } catch (thrown) {
      const problem = Problem.from(thrown);
      const body = JSON.stringify({ status: problem.status, message: problem.message });
      return {
        message: { status: problem.status, contentType, headers: { pspReference, ...problem.headers }, body },
        entry: { ...entry, outcome: problem.problem, problem },
      };
    }
  };

export interface Watched {
  readonly observers: readonly RequestObserver[];
  readonly serverLog: ServerLog;
  readonly answers: { readonly entry: LogEntry; readonly seen: HttpFacts }[];
  readonly failures: unknown[];
  readonly refusals: ConnectionRefusal[];
  readonly brokenConnections: unknown[];
}

export const watch = (): Watched => {
  const answers: Watched['answers'] = [];
  const failures: unknown[] = [];
  const refusals: ConnectionRefusal[] = [];
  const brokenConnections: unknown[] = [];
  const observer: RequestObserver = { answered: (_, { entry }, seen) => answers.push({ entry, seen }) };
  const serverLog: ServerLog = {
    requestFailed: (thrown) => failures.push(thrown),
    connectionRefused: (refusal) => refusals.push(refusal),
    connectionBroken: (thrown) => brokenConnections.push(thrown),
  };
  return { observers: [observer], serverLog, answers, failures, refusals, brokenConnections };
};

export const openTestShell = (
  serve: (wire: WireRequest) => Promise<Answer> = echo(),
  env: Readonly<Record<string, string>> = {},
  documents: Documents = none,
  watched: Watched = watch(),
  parts: Pick<CallerServerOptions, 'encodeFailure'> = {},
): Promise<CallerServer> =>
  openCallerServer({
    handle: serve,
    documents,
    observers: watched.observers,
    serverLog: watched.serverLog,
    ...parts,
    options: readConfig('production', { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', ...env }),
  });

/** Writes the pieces with a pause between them, and returns everything received until the connection ends. */
export const exchange = (port: number, pieces: readonly string[], pauseMs = 50): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1');
    const received: string[] = [];
    let timer: NodeJS.Timeout | undefined;
    const send = (at: number): void => {
      if (at >= pieces.length || !socket.writable) return;
      socket.write(Buffer.from(pieces[at]!, 'latin1'));
      timer = setTimeout(() => send(at + 1), pauseMs);
    };
    socket.setEncoding('latin1');
    socket.on('connect', () => send(0));
    socket.on('data', (text: string) => received.push(text));
    // A piece that is sent after the server has closed the connection resets it, behind the answer.
    socket.on('error', (error) => received.length === 0 && reject(error));
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(received.join(''));
    });
  });

/** Returns the status codes of all responses in the received text. */
export const statuses = (received: string): readonly number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
