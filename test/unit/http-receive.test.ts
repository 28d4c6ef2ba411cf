/** Tests the HTTP server against hostile and malformed HTTP, byte by byte. */
import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CallerServer } from '../../src/http/server/server.ts';
import { echo, exchange, openTestShell, statuses, watch } from '../support/shell.ts';
import { until } from '../support/until.ts';

const watched = watch();
let shell: CallerServer;
/** Its time limits for a request are short. */
let shortLimits: CallerServer;
let received: readonly Promise<string>[];
beforeAll(async () => {
  // Slow enough to be in flight while the next bytes arrive.
  const slow = echo(async (wire) => {
    if (wire.path === '/slow') await new Promise((resolve) => setTimeout(resolve, 500));
  });
  shell = await openTestShell(slow, { KEEP_ALIVE_MS: '300' }, undefined, watched);
  shortLimits = await openTestShell(slow, { HEADERS_MS_MAX: '900', REQUEST_MS_MAX: '1800' }, undefined, watched);
  // All at once: most end with a connection that times out. The short limits count after the others, which would use them up.
  const isSlow = ([name]: (typeof cases)[number]): boolean => name === 'a slow head' || name === 'a slow body';
  const others = cases.map((each) => (isSlow(each) ? undefined : exchange(shell.port, each[1])));
  const ended = Promise.allSettled(others);
  received = cases.map((each, at) => others[at] ?? ended.then(() => exchange(shortLimits.port, each[1])));
});
afterAll(() => Promise.all([shell.drain(), shortLimits.drain()]));

const head = (...lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
const post = (...lines: readonly string[]): string => head('POST /x HTTP/1.1', 'Host: a', ...lines);
const over = 'x'.repeat(65_537);
const chunk = `5000\r\n${'x'.repeat(0x5000)}\r\n`;
/** A body in a content coding, its bytes as latin1. */
const inflated = (coding: string, ...bodies: readonly Buffer[]): string => {
  const body = Buffer.concat(bodies);
  return `${post(`Content-Encoding: ${coding}`, `Content-Length: ${body.length}`)}${body.toString('latin1')}`;
};
const wrongChecksum = Buffer.from(gzipSync('hello'));
wrongChecksum.writeUInt32LE(0, wrongChecksum.length - 8);
/** One byte over the limit, and too varied for the limit of the ratio. */
const varied = Buffer.from(Array.from({ length: 65_537 }, (_, at) => (Math.sin(at * at) * 64 + 64) | 0));

/** The name, the pieces sent, the expected statuses, and a text in the last response. */
const cases: readonly (readonly [string, readonly string[], readonly number[], (string | RegExp)?])[] = [
  ['a sound request', [`${post('Content-Length: 2')}ab`], [200], '"length":2'],
  ['a chunked body', [`${post('Transfer-Encoding: chunked')}2;x=1\r\nab\r\n0\r\n\r\n`], [200], '"length":2'],
  [
    'a chunked body that is not read, and the next request',
    [
      `${head('POST /secret HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')}${chunk}${chunk}0\r\n\r\n${post('Content-Length: 2')}ab`,
    ],
    [401, 200],
    '"length":2',
  ],
  [
    'a chunked body that is not read and never ends, of which more arrives later',
    [`${head('POST /secret HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')}${chunk}`, chunk, chunk],
    [401],
    'Connection: close',
  ],
  ['another coding', [`${post('Transfer-Encoding: gzip, chunked')}0\r\n\r\n`], [400], 'Transfer-Encoding'],
  ['CL and TE', [`${post('Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`], [400], '400 Bad Request'],
  ['two CL', [`${post('Content-Length: 2', 'Content-Length: 3')}abc`], [400]],
  ['two equal CL', [`${post('Content-Length: 2', 'Content-Length: 2')}ab`], [400]],
  ['a signed CL', [`${post('Content-Length: +2')}ab`], [400]],
  [
    'a chunked body in 1.0, which ends the connection',
    [
      `${head('POST /x HTTP/1.0', 'Connection: keep-alive', 'Transfer-Encoding: chunked')}2\r\nab\r\n0\r\n\r\n`,
      post('Content-Length: 0'),
    ],
    [400],
    'Transfer-Encoding',
  ],
  // JavaScript trims a no-break space, HTTP does not.
  [
    'a TE behind a no-break space',
    [`${post('Transfer-Encoding: \xa0chunked')}0\r\n\r\n`],
    [400],
    'Transfer-Encoding not supported',
  ],
  ['an obfuscated TE', [`${post('Transfer-Encoding: xchunked')}0\r\n\r\n`], [400]],
  ['an endless chunk', [`${post('Transfer-Encoding: chunked')}ffffffffffffffff1\r\n`], [400]],
  ['a broken chunk', [post('Transfer-Encoding: chunked'), 'zz\r\n'], [400], /"status":400/],
  ['obs-fold', [post('X-A: b', ' c', 'Content-Length: 0')], [400]],
  ['bare LF', ['POST /x HTTP/1.1\nHost: a\nContent-Length: 0\n\n'], [400]],
  ['a bare CR', ['POST /x HTTP/1.1\rHost: a\r\r'], [400]],
  ['NUL in a header', [post('X-A: b\0c', 'Content-Length: 0')], [400]],
  ['no Host', [head('POST /x HTTP/1.1', 'Content-Length: 0')], [400]],
  ['no Host in 1.0', [head('POST /x HTTP/1.0', 'Content-Length: 0')], [200], '"length":0'],
  [
    'no Host in 1.0, in a format that needs it',
    [head('POST /needs-host HTTP/1.0', 'Content-Length: 0')],
    [400],
    'Header host missing',
  ],
  ['two Hosts in 1.0', [head('POST /x HTTP/1.0', 'Host: a', 'Host: b', 'Content-Length: 0')], [400], 'host sent twice'],
  ['HTTP/0.9', ['GET /x\r\n\r\n'], [400]],
  ['HTTP/2.0', [head('GET /x HTTP/2.0', 'Host: a')], [400]],
  ['two Hosts', [post('Host: b', 'Content-Length: 0')], [400], 'Header host sent twice'],
  [
    'two Authorizations',
    [post('Authorization: Basic YQ==', 'authorization: Basic Yg==', 'Content-Length: 0')],
    [400],
    'authorization sent twice',
  ],
  ['two API keys', [post('X-API-Key: a', 'x-api-key: b', 'Content-Length: 0')], [400], 'x-api-key sent twice'],
  [
    'two content types',
    [post('Content-Type: text/xml', 'Content-Type: application/json', 'Content-Length: 0')],
    [400],
    'content-type sent twice',
  ],
  [
    'two idempotency keys',
    [post('Idempotency-Key: a', 'Idempotency-Key: b', 'Content-Length: 0')],
    [400],
    'idempotency-key sent twice',
  ],
  ['a head too large', [post(`X-A: ${'b'.repeat(20_000)}`, 'Content-Length: 0')], [431]],
  [
    'too many headers',
    [post(...Array.from({ length: 63 }, (_, at) => `X-${at}: 1`), 'Content-Length: 0')],
    [400],
    'More than 64 headers',
  ],
  ['very many headers', [post(...Array.from({ length: 700 }, (_, at) => `a${at}:`), 'Content-Length: 0')], [431]],
  ['a header named __proto__', [post('__proto__: x', 'Content-Length: 0')], [200]],
  ['TRACE', [head('TRACE /x HTTP/1.1', 'Host: a')], [200], '"method":"TRACE"'],
  [
    'absolute form',
    [head('POST http://evil.example/pal/x?y HTTP/1.1', 'Host: a', 'Content-Length: 0')],
    [200],
    '"path":"/pal/x"',
  ],
  ['a method override', [post('X-HTTP-Method-Override: DELETE', 'Content-Length: 0')], [200], '"method":"POST"'],
  ['an upgrade', [post('Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 0')], [200]],
  ['a gzip body', [inflated('gzip', gzipSync('hello'))], [200], '"length":5'],
  ['a gzip body in two members', [inflated('GZIP', gzipSync('hel'), gzipSync('lo'))], [200], '"length":5'],
  ['a gzip body by its old name', [inflated('x-gzip', gzipSync('hello'))], [200], '"length":5'],
  ['a deflate body', [inflated('deflate', deflateSync('hello'))], [200], '"length":5'],
  ['a deflate body without a zlib header', [inflated('deflate', deflateRawSync('hello'))], [200], '"length":5'],
  ['an empty gzip body', [inflated('gzip')], [200], '"length":0'],
  [
    'a chunked gzip body',
    [
      `${post('Content-Encoding: gzip', 'Transfer-Encoding: chunked')}19\r\n${gzipSync('hello').toString('latin1')}\r\n0\r\n\r\n`,
    ],
    [200],
    '"length":5',
  ],
  ['a truncated gzip body', [inflated('gzip', gzipSync('hello').subarray(0, -1))], [400], 'Body is not gzip'],
  ['a gzip body with rubbish behind it', [inflated('gzip', gzipSync('hello'), Buffer.from('x'))], [400], 'not gzip'],
  ['a deflate body with rubbish behind it', [inflated('deflate', deflateSync('hello'), Buffer.from('x'))], [400]],
  ['a gzip body with a wrong checksum', [inflated('gzip', wrongChecksum)], [400], 'Body is not gzip'],
  ['a body that is not gzip', [inflated('gzip', Buffer.from('hello'))], [400], 'Body is not gzip'],
  ['a body that is not deflate', [inflated('deflate', Buffer.from('\xff\xff'))], [400], 'Body is not deflate'],
  ['a gzip body that inflates past the limit', [inflated('gzip', gzipSync(varied))], [413], 'maximum of 65536 bytes'],
  ['a gzip body at the limit', [inflated('gzip', gzipSync(varied.subarray(1)))], [200], '"length":65536'],
  ['a gzip bomb', [inflated('gzip', gzipSync(Buffer.alloc(10_000_000)))], [413], 'maximum of 65536 bytes'],
  ['a deflate bomb', [inflated('deflate', deflateSync(Buffer.alloc(10_000_000)))], [413], 'maximum of 65536 bytes'],
  ['a small gzip bomb', [inflated('gzip', gzipSync(Buffer.alloc(60_000)))], [413], 'more than 100 times its size'],
  ['another content coding', [inflated('br', Buffer.from('x'))], [415], /accept-encoding: gzip, deflate, identity/i],
  ['two content codings', [inflated('gzip, gzip', gzipSync(gzipSync('hello')))], [415], 'send Content-Encoding gzip'],
  ['an identity body', [`${post('Content-Encoding: identity', 'Content-Length: 2')}ab`], [200]],
  [
    'a body over the limit',
    [post('Content-Length: 65537') + over],
    [413],
    'Request larger than the maximum of 65536 bytes',
  ],
  ['a body declared over the limit', [post('Content-Length: 99999999')], [413], /connection: close/i],
  ['a chunked body over the limit', [`${post('Transfer-Encoding: chunked')}10001\r\n${over}\r\n0\r\n\r\n`], [413]],
  ['a body at the limit', [post('Content-Length: 65536') + over.slice(1)], [200], '"length":65536'],
  ['Expect', [post('Expect: 100-continue', 'Content-Length: 2'), 'ab'], [100, 200], '"length":2'],
  ['Expect of too much', [post('Expect: 100-continue', 'Content-Length: 99999999')], [413]],
  ['another Expect', [post('Expect: 200-maybe', 'Content-Length: 0')], [417], /"status":417/],
  ['another Expect in 1.0', [head('POST /x HTTP/1.0', 'Expect: x', 'Content-Length: 0')], [200]],
  ['a form of another site', [post('Sec-Fetch-Site: cross-site', 'Content-Length: 0')], [403]],
  ['a form of a sister site', [post('Sec-Fetch-Site: same-site', 'Content-Length: 0')], [403]],
  ['a page of some origin', [post('Origin: https://a.example', 'Content-Length: 0')], [403]],
  ['an address bar', [post('Sec-Fetch-Site: none', 'Content-Length: 0')], [200]],
  ['a slow head', ['POST /x HTTP/1.1\r\nHo'], [408], '408 Request Timeout'],
  ['a slow body', [`${post('Content-Length: 5')}ab`], [408], /"status":408/],
  [
    'two requests in one piece',
    [`${post('Content-Length: 1')}a${post('Content-Length: 2')}ab`],
    [200, 200],
    '"length":2',
  ],
  [
    'rubbish in one piece with a request',
    [`${head('POST /slow HTTP/1.1', 'Host: a', 'Content-Length: 1')}a\x01\x02`],
    [200],
    /connection: close/i,
  ],
  [
    'rubbish behind a request in flight',
    [`${head('POST /slow HTTP/1.1', 'Host: a', 'Content-Length: 1')}a`, '\x01\x02'],
    [200],
    /connection: close/i,
  ],
];

describe('each is answered, in the format of the journey where there is a request', () => {
  test.each(cases.map(([name, , expected, text], at) => ({ name, expected, text, at })))('$name', async (row) => {
    const answer = await received[row.at];
    expect(statuses(answer ?? '')).toEqual(row.expected);
    if (row.text !== undefined) expect(answer).toMatch(row.text);
    expect(answer).not.toMatch(/node_modules|\.ts:\d|Error:/);
    expect(watched.failures).toEqual([]);
  });
});

test.each(['destroy', 'resetAndDestroy'] as const)(
  'a caller who hangs up in a body by %s breaks nothing',
  async (how) => {
    const before = watched.answers.length;
    await new Promise<void>((resolve) => {
      const socket = connect(shell.port, '127.0.0.1', () => {
        socket.write(`${post('Content-Length: 10')}abc`, () => setTimeout(() => socket[how](), 50));
      });
      socket.on('close', () => resolve());
    });
    await until('the end of the request', () => watched.answers.length === before + 1);
    const last = watched.answers.at(-1);
    expect(last?.entry.problem?.reason).toBe('aborted');
    // A half-closed connection can still receive a response.
    if (how === 'resetAndDestroy') expect(last?.seen).toMatchObject({ aborted: true, bytesOut: 0 });
    expect(watched.failures).toEqual([]);
  },
);
