/** Tests pipelined requests: all that a connection may send ahead are answered, a few are handled at a time. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pipelinedMax, waitingMax } from '../../src/http/pipeline.ts';
import type { CallerServer } from '../../src/http/server/server.ts';
import { echo, exchange, openTestShell, statuses } from '../support/shell.ts';

let shell: CallerServer;
let handled: string[] = [];
let inFlight = 0;
let inFlightMax = 0;
beforeAll(async () => {
  shell = await openTestShell(
    echo(async ({ path }) => {
      handled.push(path);
      inFlight += 1;
      inFlightMax = Math.max(inFlightMax, inFlight);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inFlight -= 1;
    }),
  );
});
afterAll(() => shell.drain());

const get = (at: number, ...headers: readonly string[]): string =>
  [`GET /${at} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');
const post = (at: number): string => `POST /${at} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc`;
const many = (count: number, request: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => request(at)).join('');
const paths = (received: string): readonly string[] =>
  [...received.matchAll(/"path":"(\/\d+)"/g)].map(([, path]) => path!);
const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `/${at}`);

async function send(pieces: readonly string[]): Promise<string> {
  handled = [];
  inFlightMax = 0;
  return exchange(shell.port, pieces);
}

/** Sends each piece when all requests before it are answered. */
async function sendWhenAnswered(pieces: readonly string[]): Promise<string> {
  handled = [];
  inFlightMax = 0;
  const socket = connect(shell.port, '127.0.0.1').setEncoding('utf8');
  let received = '';
  let [sent, asked] = [0, 0];
  const sendNext = (): void => {
    const piece = pieces[sent++];
    asked += piece?.match(/ HTTP\/1\.1\r/g)?.length ?? 0;
    if (piece !== undefined) socket.write(piece);
  };
  sendNext();
  for await (const text of socket) {
    received += text;
    if (paths(received).length === asked) sendNext();
  }
  return received;
}

describe.each([
  ['without bodies', get],
  ['with bodies', post],
] as const)('%s', (_, request) => {
  test.each([2, pipelinedMax, pipelinedMax + 1, pipelinedMax + waitingMax - 1])(
    '%d and a last one are answered in their order',
    async (count) => {
      const received = await send([many(count, request) + get(count, 'Connection: close')]);
      expect(paths(received)).toEqual(numbered(count + 1));
      expect(inFlightMax).toBeLessThanOrEqual(pipelinedMax);
    },
  );

  test('900 in pieces are all answered: what is behind them waits on the connection', async () => {
    const received = await sendWhenAnswered([
      ...Array.from({ length: 18 }, (_, piece) => many(50, (at) => request(piece * 50 + at))),
      get(900, 'Connection: close'),
    ]);
    expect(paths(received)).toEqual(numbered(901));
    expect(inFlightMax).toBe(pipelinedMax);
  });

  test('of a thousand in one piece, what was answered was handled, and nothing else', async () => {
    const received = await send([many(1_000, request)]);
    const answered = paths(received);
    expect(answered.length).toBeGreaterThanOrEqual(pipelinedMax + waitingMax);
    expect(answered.length).toBeLessThan(1_000);
    expect(answered).toEqual(numbered(answered.length));
    expect(handled).toEqual(answered);
    expect(statuses(received)).toHaveLength(answered.length);
    expect(received.match(/Connection: close/g)).toHaveLength(1);
    expect(inFlightMax).toBe(pipelinedMax);
  });
});

describe('behind a request with a wrong head nothing is handled, since it may be part of its body', () => {
  test.each([
    ['two Hosts', 'GET /bad HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['no Host', 'GET /bad HTTP/1.1\r\n\r\n'],
    [
      'a chunked body in 1.0',
      'POST /bad HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['another coding', 'POST /bad HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['two spaces', 'GET  /bad HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('%s', async (_, bad) => {
    for (const before of [0, 1, pipelinedMax, pipelinedMax + 1]) {
      const received = await send([many(before, get) + bad + many(3, post)]);
      expect(statuses(received)).toEqual([...Array(before).fill(200), 400]);
      expect(handled).toEqual(numbered(before));
      expect(received).toMatch(/\r\nConnection: close\r\n/);
    }
  });

  test('behind a request with a sound head they are', async () => {
    const received = await send([`${many(2, get)}${get(2, 'Connection: close')}`]);
    expect(statuses(received)).toEqual([200, 200, 200]);
    expect(handled).toEqual(numbered(3));
  });
});

describe('a request that asks for another protocol', () => {
  const upgrade = ['Connection: Upgrade', 'Upgrade: h2c'];
  const posted = post(0).replace('Host: a', ['Host: a', ...upgrade].join('\r\n'));
  const chunked = posted
    .replace('Content-Length: 3', 'Transfer-Encoding: chunked')
    .replace('abc', '3\r\nabc\r\n0\r\n\r\n');

  // Node's parser drops them, and the caller would take the answer to a later request for theirs.
  test.each([
    ['without a body', get(0, ...upgrade)],
    ['with a body', posted],
    ['with a chunked body', chunked],
  ])('%s ends the connection where requests follow it in one piece', async (_, request) => {
    const received = await send([request + get(1), get(2)]);
    expect(paths(received)).toEqual(['/0']);
    expect(received).toMatch(/\r\nConnection: close\r\n/);
  });

  test.each([
    ['without a body', get(0, ...upgrade)],
    ['with a body', posted],
  ])('%s does not where none follow', async (_, request) => {
    const received = await sendWhenAnswered([request, get(1), get(2, 'Connection: close')]);
    expect(paths(received)).toEqual(numbered(3));
  });
});

test('a caller who hangs up has the rest of its requests dropped', async () => {
  handled = [];
  await new Promise<void>((resolve) => {
    const socket = connect(shell.port, '127.0.0.1', () => socket.write(many(60, get)));
    socket.once('data', () => socket.destroy());
    socket.once('close', () => resolve());
  });
  // What is under way ends, and nothing begins.
  do await new Promise((resolve) => setTimeout(resolve, 20));
  while (inFlight > 0);
  expect(handled.length).toBeLessThan(60);
});
