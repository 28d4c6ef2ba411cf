/** Tests that a request line with more than one space is refused, wherever it stands in what is read, and that no other line is. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Admin, openAdmin } from '../../src/http/admin.ts';
import { type CallerServer, openCallerServer } from '../../src/http/server/server.ts';
import { fixedTls } from '../../src/http/tls.ts';
import { selfSignedFor } from '../support/self-signed.ts';
import { readConfig } from '../support/services.ts';
import { echo, pageOfWrongAddress, statuses, watch } from '../support/shell.ts';
import { until } from '../support/until.ts';

const tls = fixedTls(selfSignedFor());
const watched = watch();
let servers: Record<'plain' | 'TLS', CallerServer>;
let admin: Admin;
beforeAll(async () => {
  const parts = {
    handle: echo(),
    documents: { findInSteps: async () => undefined, findPage: () => undefined, pageOfWrongAddress },
    observers: watched.observers,
    serverLog: watched.serverLog,
    options: readConfig('production', { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', KEEP_ALIVE_MS: '300' }),
  };
  servers = { plain: await openCallerServer(parts), TLS: await openCallerServer({ ...parts, tls }) };
  admin = await openAdmin({
    host: '127.0.0.1',
    port: 0,
    registry: { contentType: 'text/plain; version=0.0.4; charset=utf-8', metrics: async () => '' },
    readiness: async () => ({ ready: true, readyForReads: true, draining: false, probes: {} }),
  });
});
afterAll(() => Promise.all([servers.plain.drain(), servers.TLS.drain(), admin.close()]));

/** Returns what is received until the connection ends. */
async function exchange(socket: Socket, pieces: readonly string[]): Promise<string> {
  socket.setNoDelay(true);
  void sendAll(socket, pieces);
  let received = '';
  for await (const text of socket.setEncoding('latin1')) received += text;
  return received;
}

async function sendAll(socket: Socket, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    if (!socket.writable) return;
    socket.write(piece, 'latin1');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const rest = 'Host: a\r\nAccept: */*\r\n';
const get = (line: string): string => `${line}\r\n${rest}\r\n`;
const post = (line: string, body: string): string => `${line}\r\n${rest}Content-Length: ${body.length}\r\n\r\n${body}`;
const large = 'x'.repeat(60_000);
const misspelled = get('GET  /x HTTP/1.1');

/** The name, the pieces sent, and the expected statuses. */
const cases: readonly (readonly [string, readonly string[], readonly number[]])[] = [
  ['one space', [get('GET /x HTTP/1.1')], [200]],
  ['two spaces before the target', [get('GET  /x HTTP/1.1')], [400]],
  ['two spaces behind the target', [get('GET /x  HTTP/1.1')], [400]],
  ['many spaces', [get(`GET${' '.repeat(900)}/x${' '.repeat(900)}HTTP/1.1`)], [400]],
  ['two spaces in HTTP/1.0 without a header', ['GET  /x HTTP/1.0\r\n\r\n'], [400]],
  ['one space in HTTP/1.0 without a header', ['GET /x HTTP/1.0\r\n\r\n'], [200]],
  ['another protocol', [post('POST /x RTSP/1.1', 'ab')], [400]],
  ['another protocol in version 1.0', [post('POST /x RTSP/1.0', 'ab')], [400]],
  ['a tab', [get('GET\t/x HTTP/1.1')], [400]],
  ['two spaces behind an empty line', [`\r\n${get('GET  /x HTTP/1.1')}`], [400]],
  ['one space behind an empty line', [`\r\n${get('GET /x HTTP/1.1')}`], [200]],
  ['two spaces before an absolute target', [get('GET  http://a/x?y=%20z HTTP/1.1')], [400]],
  ['two spaces with a large body', [post('POST  /x HTTP/1.1', large)], [400]],
  ['one space with a large body', [post('POST /x HTTP/1.1', large)], [200]],
  ['an expectation', [post('POST  /x HTTP/1.1', '').replace('Accept: */*', 'Expect: 100-continue')], [400]],
  ['two spaces in the second request', [get('GET /x HTTP/1.1') + misspelled], [200, 400]],
  ['two spaces in the second request, of another target', [get('GET /y HTTP/1.1') + misspelled], [200, 400]],
  ['two spaces behind a body', [post('POST /x HTTP/1.1', 'ab') + post('POST  /x HTTP/1.1', 'ab')], [200, 400]],
  ['what follows two spaces is not answered', [misspelled + get('GET /y HTTP/1.1')], [400]],
  ['two requests in turn', [get('GET /x HTTP/1.1'), misspelled], [200, 400]],
  [
    'a body that ends with the next request',
    [post('POST /x HTTP/1.1', 'ab').slice(0, -1), `b${misspelled}`],
    [200, 400],
  ],
  ['twenty requests', [get('GET /x HTTP/1.1').repeat(20)], Array(20).fill(200)],
  [
    'twenty requests, the last one with two spaces',
    [get('GET /x HTTP/1.1').repeat(19) + misspelled],
    [...Array(19).fill(200), 400],
  ],
  ['a head in two pieces, with one space', ['GET /x HTTP/1.1\r\nHo', 'st: a\r\n\r\n'], [200]],
  ['a body that quotes the line with two spaces', [post('POST /x HTTP/1.1', '\r\nPOST  /x HTTP/1.1\r\nA: b')], [200]],
  [
    'a body in a piece of its own that quotes it',
    [
      post('POST /x HTTP/1.1', '\r\nPOST  /x HTTP/1.1\r\nA: b').slice(0, 20),
      post('POST /x HTTP/1.1', '\r\nPOST  /x HTTP/1.1\r\nA: b').slice(20),
    ],
    [200],
  ],
];

describe.each(['plain', 'TLS'] as const)('%s', (kind) => {
  let received: readonly Promise<string>[];
  // All at once: most end with a connection that times out.
  beforeAll(() => {
    const options = { port: servers[kind].port, host: '127.0.0.1' };
    received = cases.map(([, pieces]) =>
      exchange(kind === 'plain' ? connect(options) : connectTls({ ...options, rejectUnauthorized: false }), pieces),
    );
  });
  test.each(cases.map((row, at) => [row[0], row, at] as const))('%s', async (_, [, pieces, expected], at) => {
    const answered = await received[at]!;
    expect(statuses(answered)).toEqual(expected);
    const isRefused = answered.includes('"message":"Request line not supported: separate its parts by single spaces"');
    expect(isRefused).toBe(expected.at(-1) === 400 && !pieces[0]!.includes('\t'));
    if (isRefused) expect(answered).toMatch(/connection: close/i);
    expect(watched.failures).toEqual([]);
  });
});

test.each([
  ['GET /x HTTP/1.1', 'one space', 200],
  // docs/security.md says so: the line is not in the chunk that ends the head.
  ['GET  /x HTTP/1.1', 'two spaces', 200],
])('a head in two chunks: %s, %s', async (line, _, status) => {
  const { port, server } = servers.plain;
  const [first, second] = [`${line}\r\nHo`, 'st: a\r\nConnection: close\r\n\r\n'];
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = connect(port, '127.0.0.1');
  const answered = exchange(socket, [first]);
  const [connection] = await accepted;
  await until('the first chunk is read', () => connection.bytesRead === first.length);
  socket.write(second);
  expect(statuses(await answered)).toEqual([status]);
});

test('is logged with its reason', async () => {
  await exchange(connect(servers.plain.port, '127.0.0.1'), [misspelled]);
  expect(watched.answers.at(-1)!.entry.problem).toMatchObject({ problem: 'badRequest', reason: 'requestLine' });
});

test('the admin port refuses it, too', async () => {
  const answered = (line: string) =>
    exchange(connect(admin.port, '127.0.0.1'), [get(line).replace(/\r\n$/, 'Connection: close\r\n\r\n')]);
  expect(statuses(await answered('GET /livez HTTP/1.1'))).toEqual([200]);
  expect(statuses(await answered('GET  /livez HTTP/1.1'))).toEqual([400]);
  const behind = await exchange(connect(admin.port, '127.0.0.1'), [
    get('GET  /livez HTTP/1.1') + get('GET /livez HTTP/1.1'),
  ]);
  expect(statuses(behind)).toEqual([400]);
});
