/** Bombs: what memory inflating takes with its bounds, and as the control without them. */
import { Buffer } from 'node:buffer';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { type ContentCoding, codingOf, type InflateLimits, inflateBody } from '../../src/http/inflate.ts';

const megabytes = 20;
const zeros = Buffer.alloc(megabytes * 2 ** 20);
const bombs = { gzip: gzipSync(zeros), deflate: deflateSync(zeros) } as const;
const bytesMax = 65_536;
const unlimited = 2 ** 30;

/** The outcome of inflating, and the memory that it took. */
const inflate = async (bytes: Buffer, coding: ContentCoding, limits: InflateLimits) => {
  const before = process.memoryUsage().arrayBuffers;
  const outcome = await inflateBody(bytes, coding, limits).then(
    (inflated) => ({ inflated }),
    ({ problem, message }) => ({ problem, message }),
  );
  return { outcome, memory: process.memoryUsage().arrayBuffers - before };
};

describe.each(['gzip', 'deflate'] as const)('a bomb in %s', (coding) => {
  const bomb = bombs[coding];

  test('fits into the largest body', () => {
    expect(bomb.length).toBeLessThan(bytesMax);
  });

  test.each([
    ['the size', { bytesMax, ratioMax: unlimited }, 'Request larger than the maximum of 65536 bytes'],
    ['the ratio', { bytesMax: unlimited, ratioMax: 100 }, 'Request inflates to more than 100 times its size'],
  ])('is stopped early by the limit of %s; without limits it inflates', async (_, limits, message) => {
    const control = await inflate(bomb, coding, { bytesMax: unlimited, ratioMax: unlimited });
    expect(control.outcome).toMatchObject({ inflated: { length: zeros.length } });
    const bounded = await inflate(bomb, coding, limits);
    expect(bounded.outcome).toEqual({ problem: 'tooLarge', message });
    expect(bounded.memory).toBeLessThan(zeros.length / 4);
  });
});

test('a bomb in a bomb is a compressed body', async () => {
  const inner = await inflateBody(gzipSync(bombs.gzip), 'gzip', { bytesMax, ratioMax: 1_100 });
  expect(inner.equals(bombs.gzip)).toBe(true);
});

test.each([
  [undefined, undefined],
  ['identity', undefined],
  [' GZip ', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
])('the header %s', (header, coding) => {
  expect(codingOf(header)).toBe(coding);
});

test.each(['', 'br', 'zstd', 'compress', 'gzip, deflate', 'identity, gzip', 'constructor'])(
  'the header "%s" is refused',
  (header) => {
    expect(() => codingOf(header)).toThrow('Unsupported media type: send Content-Encoding gzip or deflate');
  },
);
