/** Small pieces of a message are few buffers while it arrives. */
import { Buffer } from 'node:buffer';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JoinedPieces } from '../../src/core/lib/join-pieces.ts';
import { seed } from '../support/seed.ts';

function join(pieces: readonly Buffer[]): readonly Buffer[] {
  const joined = new JoinedPieces();
  const read = pieces.flatMap((each) => joined.add(each) ?? []);
  return [...read, joined.end()];
}

test('a message of single bytes', () => {
  const message = Buffer.alloc(60_000, 'abc');
  const pieces = Array.from(message, (_, at) => message.subarray(at, at + 1));
  const read = join(pieces);
  expect(read).toHaveLength(4);
  expect(Buffer.concat(read)).toEqual(message);
});

test('pieces of any length, in their order', () => {
  const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 40_000 })));
  fc.assert(
    fc.property(lengths, (each) => {
      const pieces = each.map((length, at) => Buffer.alloc(length, at + 1));
      const read = join(pieces);
      expect(Buffer.concat(read)).toEqual(Buffer.concat(pieces));
      expect(read.slice(0, -1).every(({ length }) => length >= 16_384)).toBe(true);
    }),
    { numRuns: 100, seed },
  );
});

test('a single piece is not copied', () => {
  const piece = Buffer.from('abc');
  expect(join([piece])[0]).toBe(piece);
  const large = Buffer.alloc(20_000);
  expect(join([large])[0]).toBe(large);
});
