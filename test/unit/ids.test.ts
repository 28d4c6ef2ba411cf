/** Tests that references are 16 uniformly distributed characters and distinct. */
import { expect, test } from '@jest/globals';
import { ids } from '../../src/core/lib/ids.ts';

const many = 62_000;
const alphabet = [...'BCDFGHJKLMNPQRSTVWXYZ0123456789'].sort();

test.each(['requestReference', 'reference'] as const)('%s', (kind) => {
  const made = Array.from({ length: many }, () => ids[kind]());
  expect(new Set(made).size).toBe(many);
  expect(made.every((reference) => reference.length === 16)).toBe(true);
  for (let place = 0; place < 16; place++)
    expect([...new Set(made.map((reference) => reference.charAt(place)))].sort()).toEqual(alphabet);

  const counts = new Map<string, number>();
  for (const sign of made.join('')) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  const expected = (16 * many) / alphabet.length;
  // 32,000 each, with a standard deviation of 176; bytes modulo 31 would be off by 2,875 for eight characters.
  for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(1_200);
});
