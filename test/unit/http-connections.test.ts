/** Tests the limit of connections of an address, and the pauses of connections that were slowed down or refused. */
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Problem } from '../../src/core/contract/problem.ts';
import type { Answer } from '../../src/core/gateway/answer.ts';
import { holdReadingFor } from '../../src/http/hold-reading.ts';
import type { CallerServer } from '../../src/http/server/server.ts';
import { echo, openTestShell } from '../support/shell.ts';
import { until } from '../support/until.ts';

const servers: CallerServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.drain(0)));
});

async function open(...parameters: Parameters<typeof openTestShell>): Promise<CallerServer> {
  const server = await openTestShell(...parameters);
  servers.push(server);
  return server;
}

const request = 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n';

/** Connects, and sends a request where it says so. Resolves with `answered`, or with `reset`. */
async function call(port: number, localAddress: string, sends = true): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  sockets.push(socket);
  socket.on('error', () => {});
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.once('data', () => resolve('answered'));
  socket.once('close', () => resolve('reset'));
  await once(socket, 'connect');
  if (!sends) return 'open';
  socket.write(request);
  return promise;
}

describe('an address with idle connections', () => {
  const idle = 30;

  test.each([
    [
      'is refused further ones, and another address is not',
      { CONNECTIONS_PER_ADDRESS_MAX: '30', CONNECTIONS_MAX: '40' },
      'reset',
      'answered',
    ],
    [
      'control: without the limit it takes those of all',
      { CONNECTIONS_PER_ADDRESS_MAX: '0', CONNECTIONS_MAX: '30' },
      'reset',
      'reset',
    ],
    [
      'that is a trusted proxy may have all',
      { CONNECTIONS_PER_ADDRESS_MAX: '30', CONNECTIONS_MAX: '40', TRUSTED_PROXIES: '127.0.0.2' },
      'answered',
      'answered',
    ],
  ])('%s', async (_, env, own, other) => {
    const { port, connections } = await open(echo(), env);
    await Promise.all(Array.from({ length: idle }, () => call(port, '127.0.0.2', false)));
    await until('the connections', () => connections() === idle);
    expect(await call(port, '127.0.0.2')).toBe(own);
    expect(await call(port, '127.0.0.3')).toBe(other);
  });

  test('may open others when it has closed some', async () => {
    const { port, connections } = await open(echo(), { CONNECTIONS_PER_ADDRESS_MAX: '2' });
    await call(port, '127.0.0.2', false);
    await call(port, '127.0.0.2', false);
    expect(await call(port, '127.0.0.2')).toBe('reset');
    sockets[0]!.destroy();
    await until('the end of one', () => connections() === 1);
    expect(await call(port, '127.0.0.2')).toBe('answered');
  });
});

test('a request without a connection has nothing to pause', () => {
  expect(() => holdReadingFor(new EventEmitter(), 1)).not.toThrow();
});

describe('a connection whose request was refused for its load', () => {
  const refusing = (problem: 'overloaded' | 'unauthorized') => async (): Promise<Answer> => {
    const refusal = new Problem(problem);
    return {
      message: { status: refusal.status, contentType: 'text/plain', headers: {}, body: 'no' },
      entry: { protocol: 'json', requestReference: '', credential: 'one', outcome: problem, problem: refusal },
    };
  };
  /** A connection is not read for a second. */
  const heldMs = 990;

  /** The shortest time that two requests take, one after the other, of twenty such pairs. */
  async function shortestPair(problem: 'overloaded' | 'unauthorized', env = {}): Promise<number> {
    const { port } = await open(refusing(problem), env);
    const socket = connect({ port, host: '127.0.0.1' });
    sockets.push(socket);
    let shortest = Number.POSITIVE_INFINITY;
    for (let pair = 0; pair < 20 && (pair === 0 || shortest < heldMs); pair += 1) {
      const startedAt = performance.now();
      for (const _ of [1, 2]) {
        socket.write(request);
        await once(socket, 'data');
      }
      shortest = Math.min(shortest, performance.now() - startedAt);
    }
    return shortest;
  }

  test('is not read for a second', async () => expect(await shortestPair('overloaded')).toBeGreaterThan(heldMs));
  test('control: another refusal has no such effect', async () =>
    expect(await shortestPair('unauthorized')).toBeLessThan(heldMs));
  test('and is read where it is that of a proxy', async () =>
    expect(await shortestPair('overloaded', { TRUSTED_PROXIES: '127.0.0.1' })).toBeLessThan(heldMs));
});
