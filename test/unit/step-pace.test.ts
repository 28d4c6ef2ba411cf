/** The pace of deletions: how large steps are, and how long the pauses between them. */
import { expect, test } from '@jest/globals';
import { rowsMin, StepPace } from '../../src/stores/sql/step-pace.ts';

const rowsMax = 1_000;
const fastMs = 1;
const slowMs = 200;

test('fast steps grow up to the maximum', () => {
  const pace = new StepPace(rowsMax);
  expect(pace.rows).toBe(rowsMin);
  for (let steps = 0; steps < 20; steps += 1) pace.after(fastMs);
  expect(pace.rows).toBe(rowsMax);
});

test('slow steps shrink down to the minimum, and grow again when they are fast', () => {
  const pace = new StepPace(rowsMax);
  for (let steps = 0; steps < 3; steps += 1) pace.after(fastMs);
  const { rows } = pace;
  pace.after(slowMs);
  expect(pace.rows).toBeLessThan(rows);
  for (let steps = 0; steps < 20; steps += 1) pace.after(slowMs);
  expect(pace.rows).toBe(rowsMin);
  pace.after(fastMs);
  expect(pace.rows).toBeGreaterThan(rowsMin);
});

test('steps take a tenth of the time at most, but for very slow ones', () => {
  for (const ms of [fastMs, 8, 20, 100]) expect(new StepPace(rowsMax).after(ms)).toBeGreaterThanOrEqual(9 * ms);
  expect(new StepPace(rowsMax).after(60_000)).toBe(1_000);
});
