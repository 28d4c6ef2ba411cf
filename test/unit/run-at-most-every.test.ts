/** Tests that work runs at most once in an interval, and never twice at the same time. */
import { expect, test } from '@jest/globals';
import { runAtMostEvery } from '../../src/core/lib/run-at-most-every.ts';

/** Work that the test ends, on a clock that the test sets. */
const limited = () => {
  const runs: PromiseWithResolvers<string>[] = [];
  const clock = { now: 0 };
  const run = runAtMostEvery(
    100,
    () => {
      const next = Promise.withResolvers<string>();
      runs.push(next);
      return next.promise;
    },
    () => clock.now,
  );
  return { run, runs, clock };
};

test('callers within the interval share one result', async () => {
  const { run, runs, clock } = limited();
  const first = run();
  runs[0]!.resolve('first');
  expect(await first).toBe('first');
  clock.now = 99;
  expect(await run()).toBe('first');
  expect(runs).toHaveLength(1);
  clock.now = 100;
  // The next run does not delay its callers.
  expect(await run()).toBe('first');
  expect(runs).toHaveLength(2);
  runs[1]!.resolve('second');
  await Promise.resolve();
  expect(await run()).toBe('second');
});

test('work that takes longer than the interval does not run twice at the same time', async () => {
  const { run, runs, clock } = limited();
  const first = run();
  clock.now = 1_000;
  const second = run();
  expect(runs).toHaveLength(1);
  runs[0]!.resolve('late');
  expect(await Promise.all([first, second])).toEqual(['late', 'late']);
  const third = run();
  expect(runs).toHaveLength(2);
  runs[1]!.resolve('again');
  expect(await third).toBe('again');
});

test('a result that is two intervals old is not used: callers wait for the run', async () => {
  const { run, runs, clock } = limited();
  const first = run();
  runs[0]!.resolve('first');
  expect(await first).toBe('first');
  clock.now = 199;
  expect(await run()).toBe('first');
  clock.now = 200;
  const second = run();
  expect(runs).toHaveLength(2);
  runs[1]!.resolve('second');
  expect(await second).toBe('second');
});

test('a failure is shared as well, and work runs again after the interval', async () => {
  const { run, runs, clock } = limited();
  const first = run();
  runs[0]!.reject(new Error('full'));
  await expect(first).rejects.toThrow('full');
  await expect(run()).rejects.toThrow('full');
  expect(runs).toHaveLength(1);
  clock.now = 200;
  const second = run();
  runs[1]!.resolve('well');
  expect(await second).toBe('well');
});
