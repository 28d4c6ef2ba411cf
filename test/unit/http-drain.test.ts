/** A stop under load: every request that reaches the server is answered. */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import type { CallerServer } from '../../src/http/server/server.ts';
import { echo, openTestShell } from '../support/shell.ts';
import { until } from '../support/until.ts';

const workMs = 20;
const work = echo(() => new Promise((resolve) => setTimeout(resolve, workMs)));

/** The failure of an unanswered request. */
interface Unanswered {
  readonly code: string;
  /** The local port of its connection; undefined where there was none. */
  readonly localPort: number | undefined;
}

/** Rejects with an `Unanswered`. */
const ask = (port: number, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    let localPort: number | undefined;
    const failed = ({ code = '' }: NodeJS.ErrnoException) => reject({ code, localPort } satisfies Unanswered);
    const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/x', agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', failed);
    });
    sent.on('socket', (socket) => {
      const connected = () => {
        localPort = socket.localPort;
      };
      if (socket.connecting) socket.once('connect', connected);
      else connected();
    });
    sent.on('error', failed);
    sent.end('{}');
  });

/** Sends requests over keep-alive connections, each after the previous answer, until the server refuses connections. */
const underLoad = async (stop: (shell: CallerServer) => Promise<void>) => {
  const shell = await openTestShell(work);
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const accepted = new Set<number | undefined>();
  shell.server.on('connection', ({ remotePort }) => accepted.add(remotePort));
  let answered = 0;
  let refused = 0;
  const dropped: string[] = [];
  const caller = async (): Promise<void> => {
    for (;;) {
      try {
        expect(await ask(shell.port, agent)).toBe(200);
        answered++;
      } catch (thrown) {
        const { code, localPort } = thrown as Unanswered;
        // The system resets a connection that was not accepted before the port closed: that is a refusal, too.
        if (code === 'ECONNREFUSED' || (code === 'ECONNRESET' && !accepted.has(localPort))) refused++;
        else dropped.push(code);
        return;
      }
    }
  };
  const callers = Array.from({ length: 16 }, caller);
  await until('answers', () => answered > 16);
  const before = answered;
  await Promise.all([stop(shell), ...callers]);
  agent.destroy();
  return { answeredLater: answered - before, refused, dropped, connections: shell.connections() };
};

test('a drain under load drops no request', async () => {
  const { answeredLater, refused, dropped, connections } = await underLoad((shell) => shell.drain());
  expect(dropped).toEqual([]);
  // A caller that was between two requests has none in flight.
  expect(answeredLater).toBeGreaterThan(8);
  expect(refused).toBe(16);
  expect(connections).toBe(0);
});

test('cutting the connections instead would drop some: the load is real', async () => {
  const { dropped } = await underLoad(async ({ server }) => {
    server.close();
    server.closeAllConnections();
  });
  expect(dropped.length).toBeGreaterThan(0);
});

test('a request that was on its way on an idle connection is answered, and the last', async () => {
  const shell = await openTestShell(work);
  const received: string[] = [];
  const socket = connect(shell.port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.setEncoding('utf8').on('data', (text: string) => received.push(text));
  socket.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
  await until('the first answer', () => /connection: keep-alive.*"path":"\/x"/is.test(received.join('')));
  const drained = shell.drain();
  expect(shell.draining()).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 20));
  received.length = 0;
  socket.write('GET /y HTTP/1.1\r\nHost: a\r\n\r\n');
  await closed;
  expect(received.join('')).toMatch(/^HTTP\/1\.1 200.*connection: close.*"path":"\/y"/is);
  await drained;
});

test('idle connections do not hold the stop up, and endless requests only so long', async () => {
  // Without its own limit for idle connections the stop would take this long.
  const idle = await openTestShell(work, { DRAIN_MS_MAX: '600000', KEEP_ALIVE_MS: '600000' });
  const socket = connect(idle.port, '127.0.0.1');
  const answered = once(socket, 'data');
  socket.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
  await answered;
  let isOver = false;
  void idle.drain().then(() => {
    isOver = true;
  });
  await until('the end of the stop', () => isOver);

  const begun = Promise.withResolvers<void>();
  const stuck = await openTestShell(
    echo(() => {
      begun.resolve();
      return new Promise(() => {});
    }),
    { DRAIN_MS_MAX: '300' },
  );
  const waiting = connect(stuck.port, '127.0.0.1').on('error', () => {});
  waiting.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
  await begun.promise;
  const cutAt = performance.now();
  await stuck.drain();
  expect(performance.now() - cutAt).toBeGreaterThan(250);
});

test('during the notice new requests are answered, each the last on its connection; then the port is closed', async () => {
  const shell = await openTestShell(work, { DRAIN_NOTICE_MS: '1000' });
  const agent = new Agent({ keepAlive: true });
  const startedAt = performance.now();
  const drained = shell.drain();
  expect(shell.draining()).toBe(true);
  // All at once: on a busy machine three in turn might outlast the notice.
  expect(await Promise.all([1, 2, 3].map(() => ask(shell.port, agent)))).toEqual([200, 200, 200]);
  expect(Object.keys(agent.freeSockets)).toEqual([]);
  await drained;
  expect(performance.now() - startedAt).toBeGreaterThan(990);
  await expect(ask(shell.port, agent)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  agent.destroy();
});
