/** The clock of the embedded store: it follows corrections of the system's clock, but no jump. */
import { beforeEach, expect, test } from '@jest/globals';
import { createSteadyClock } from '../../src/stores/sqlite/open.ts';

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;
const start = Date.UTC(2026, 0, 15);

let wall: number;
let monotonic: number;
let now: () => number;

beforeEach(() => {
  wall = start;
  monotonic = 7;
  now = createSteadyClock({ wall: () => wall, monotonic: () => monotonic });
});

function pass(ms: number): void {
  wall += ms;
  monotonic += ms;
}

test('time passes, however long nothing asks for it', () => {
  pass(second);
  expect(now()).toBe(start + second);
  pass(40 * day);
  expect(now()).toBe(start + second + 40 * day);
});

test('it follows corrections in both directions', () => {
  wall += minute;
  expect(now()).toBe(start + minute);
  wall -= 2 * minute;
  expect(now()).toBe(start - minute);
});

test.each([4 * day, -4 * day, 6 * minute])('it does not follow a jump by %i ms', (jump) => {
  wall += jump;
  pass(second);
  expect(now()).toBe(start + second);
  pass(minute);
  expect(now()).toBe(start + second + minute);
});

test('after the jump is undone it follows again', () => {
  wall += 4 * day;
  pass(minute);
  now();
  wall -= 4 * day - second;
  expect(now()).toBe(start + minute + second);
});
