/** Tests when the refused requests of a caller may come again. */
import { expect, test } from '@jest/globals';
import { ReturnTimes } from '../../src/access/limits/fair-turns.ts';

/** One window: so many answers, then so many refusals. Returns the seconds of the last one. */
function window(times: ReturnTimes, at: number, answered: number, refused: number): number {
  for (let count = 0; count < answered; count += 1) times.countAnswer();
  let seconds = 0;
  for (let count = 0; count < refused; count += 1) seconds = times.countRefusal(at);
  return seconds;
}

test('a second, where few are refused', () => {
  const times = new ReturnTimes();
  for (let at = 0; at < 10_000; at += 1_000) expect(window(times, at, 1_000, 90)).toBe(1);
});

test('longer after a second in which many were refused, and a second again when they are few', () => {
  const longest = () => 0.999;
  const times = new ReturnTimes(longest);
  expect(window(times, 1_000, 1_000, 150)).toBe(1);
  expect(window(times, 2_000, 1_000, 75)).toBe(3);
  expect(window(times, 3_000, 1_000, 5)).toBe(3);
  expect(window(times, 4_000, 1_000, 5)).toBe(1);
});

test('five seconds at most, also where nothing is answered', () => {
  const times = new ReturnTimes(() => 0.999);
  window(times, 1_000, 0, 100);
  for (let at = 2_000; at < 9_000; at += 1_000) expect(window(times, at, 0, 1_000)).toBe(5);
});

test('those that are refused together return at different times', () => {
  const times = new ReturnTimes();
  window(times, 1_000, 10, 1_000);
  const seconds = new Set(Array.from({ length: 1_000 }, () => times.countRefusal(2_000)));
  expect([...seconds].toSorted()).toEqual([1, 2, 3, 4, 5]);
});

/** A thousand clients, of which 250 are answered at a time: 1,500 in a second. Returns the refusals in the last second. */
function refusalsOfClients(secondsOf: (at: number) => number, countAnswer: () => void): number {
  let returns = Array.from({ length: 750 }, (_, at) => at);
  let refused = 0;
  for (let second = 0; second < 20; second += 1) {
    for (let count = 0; count < 1_500; count += 1) countAnswer();
    const arrivals = returns.filter((ms) => ms < (second + 1) * 1_000);
    returns = returns.filter((ms) => ms >= (second + 1) * 1_000);
    refused = arrivals.length;
    for (const ms of arrivals) returns.push(ms + 1_000 * secondsOf(ms));
  }
  return refused;
}

test('clients that are too many are refused less often than they would be each second', () => {
  const times = new ReturnTimes();
  expect(
    refusalsOfClients(
      (at) => times.countRefusal(at),
      () => times.countAnswer(),
    ),
  ).toBeLessThan(350);
  // Control: a second for each.
  expect(
    refusalsOfClients(
      () => 1,
      () => {},
    ),
  ).toBe(750);
});
