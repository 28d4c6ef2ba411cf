/** Bombs: what memory inflating takes with its bounds, and as the control without them. */
import { Buffer } from 'node:buffer';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { type ContentCoding, type InflateLimits, inflate as inflateBody } from '../../src/core/lib/inflate.ts';
import { codingOf } from '../../src/http/inflate.ts';

const megabytes = 6;
const zeros = Buffer.alloc(megabytes * 2 ** 20);
const bombs = { gzip: gzipSync(zeros), deflate: deflateSync(zeros) } as const;
const bytesMax = 65_536;
const unlimited = 2 ** 30;

/** The outcome of inflating, and the memory that it took. */
const inflate = async (bytes: Buffer, coding: ContentCoding, limits: InflateLimits) => {
  const before = process.memoryUsage().arrayBuffers;
  const outcome = await inflateBody(bytes, coding, limits).then(
    (inflated) => ({ inflated }),
    ({ fault }) => ({ fault }),
  );
  return { outcome, memory: process.memoryUsage().arrayBuffers - before };
};

describe.each(['gzip', 'deflate'] as const)('a bomb in %s', (coding) => {
  const bomb = bombs[coding];

  test('fits into the largest body', () => {
    expect(bomb.length).toBeLessThan(bytesMax);
  });

  test.each([
    ['the size', { bytesMax, ratioMax: unlimited }, 'tooLarge'],
    ['the ratio', { bytesMax: unlimited, ratioMax: 100 }, 'ratio'],
  ])('is stopped early by the limit of %s; without limits it inflates', async (_, limits, fault) => {
    const control = await inflate(bomb, coding, { bytesMax: unlimited, ratioMax: unlimited });
    expect(control.outcome).toMatchObject({ inflated: { length: zeros.length } });
    const bounded = await inflate(bomb, coding, limits);
    expect(bounded.outcome).toEqual({ fault });
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
