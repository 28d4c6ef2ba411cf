/** Tests the steps of a request: those that are no part of others are its total, also where they are described late. */
import { expect, test } from '@jest/globals';
import { describeSteps } from '../../../src/insight/traffic/steps.ts';

/** A request of 4 ms that began at 100: 1 ms of it until it is decoded, and 0.5 ms after it was executed. */
const step = (name: 'decode' | 'execute' | 'read', startedAt: number, ms: number) => ({
  ...{ name, startedAt, ms, isFailed: false },
});
const recording = {
  steps: [step('decode', 101, 0.5), step('execute', 102, 1.5), step('read', 102.5, 0.5)],
  upstream: [],
};

test.each([
  ['at once', 104, [1, 0.5, 0.5, 1.5, 0.5, 0.5]],
  ['after half a millisecond', 104.5, [0.5, 0.5, 0.5, 1.5, 0.5, 1]],
  ['after the time of its first step', 107, [0, 0.5, 0.5, 1.5, 0.5, 1.5]],
] as const)('a request that is described %s', (_, now, times) => {
  const { steps } = describeSteps(recording, 4, now);
  expect(steps.map(({ name }) => name)).toEqual(['receive', 'decode', 'authorize', 'execute', 'read', 'answer']);
  expect(steps.map(({ ms }) => ms)).toEqual(times);
  const outer = steps.filter(({ name }) => name !== 'read');
  expect(outer.reduce((sum, { ms }) => sum + ms, 0)).toBeCloseTo(4, 6);
  expect(steps.every(({ startMs }) => startMs >= 0)).toBe(true);
});
