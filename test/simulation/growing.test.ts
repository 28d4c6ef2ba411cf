/** Keeps docs/growing.md true: its tables are those of the simulation, over the measured figures, and the simulation agrees with arithmetic. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readFigures } from '../../bench/growing/figures.ts';
import { slotOf, slotsOfTags, tagsBySlots, tagsMoved } from '../../bench/growing/shards.ts';
import { type Load, simulate } from '../../bench/growing/simulate.ts';
import { defaults, printGrowth } from '../../bench/growing/table.ts';
import { Random } from './random.ts';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
const figures = { gatewayUs: 500, storeUs: 100, recordBytes: 400, logBytes: 1_000 };
const seeded = () => {
  const random = new Random(7);
  return () => random.next();
};

test('the tables of the page are those of the program', () => {
  const random = new Random(1);
  const text = printGrowth(defaults, readFigures(), () => random.next());
  const section = /<!-- growing: begin -->\n([\s\S]*)\n<!-- growing: end -->/.exec(read('docs/growing.md'))?.[1];
  expect(section).toBe(text);
});

test('the figures are those of the benchmark that the page names', () => {
  const { gatewayUs, storeUs, recordBytes, logBytes } = readFigures();
  const page = read('docs/bench.md');
  const [, gateway, store] = /^\| `none` \| Redis \| 1 \| (\d+) \| [^|]+ \| (\d+) \|/m.exec(page) ?? [];
  expect([Number(gateway), Number(store)]).toEqual([gatewayUs, storeUs]);
  expect(page).toContain(`takes ${recordBytes} bytes of the memory of Redis, and the request writes ${logBytes} bytes`);
});

test('slots are those of the specification', () => {
  expect(['foo', 'bar', '{user1000}.following', '123456789'].map(slotOf)).toEqual([12_182, 5_061, 3_443, 12_739]);
});

test('every hash tag has a master', () => {
  for (const masters of [1, 3, 7, 24, 256])
    for (const tags of [tagsBySlots(masters), tagsMoved(masters)]) {
      expect(tags).toHaveLength(masters);
      expect(tags.reduce((sum, each) => sum + each, 0)).toBe(slotsOfTags.length);
    }
  expect(Math.max(...tagsMoved(24)) - Math.min(...tagsMoved(24))).toBeLessThanOrEqual(1);
});

const load: Load = { keysADay: 2_000_000, days: 3, peak: 2 };

test('the simulation agrees with arithmetic', () => {
  const outcome = simulate(load, [1, 1, 2], figures, seeded());
  const near = (value: number, expected: number, share = 0.01) =>
    expect(Math.abs(value / expected - 1)).toBeLessThan(share);
  near(outcome.records, 6_000_000);
  near(outcome.bytes, 6_000_000 * 400);
  near(outcome.fullestBytes, 3_000_000 * 400);
  near(outcome.logBytesADay, 1_000_000 * 1_000);
  // The busiest minute is twice the mean, and some more by chance.
  const perSecond = (2 * 2_000_000) / 86_400;
  near(outcome.peakPerSecond, perSecond, 0.1);
  near(outcome.gatewayCores, (perSecond * 500) / 1e6, 0.1);
  near(outcome.busiestCore, (perSecond * 100) / 2 / 1e6, 0.1);
});

test('control: few keys arrive by chance, and none from nothing', () => {
  const few = simulate({ ...load, keysADay: 2_000 }, [1], figures, seeded());
  expect(Math.abs(few.records - 6_000)).toBeGreaterThan(0);
  expect(Math.abs(few.records / 6_000 - 1)).toBeLessThan(0.05);
  expect(simulate({ ...load, keysADay: 0 }, [1], figures, seeded()).records).toBe(0);
});
