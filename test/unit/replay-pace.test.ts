/** A replay never exceeds its rate, also where timers are late and requests are sent again. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Pace } from '../../src/program/cli/replay/pace.ts';

const rate = 200;
const everyMs = 1_000 / rate;
/** Ten requests are nine times apart. The first one of them may have been held up after its turn. */
const shortestMs = 8 * everyMs;

/** The shortest time of ten requests, while other work makes timers late. */
async function shortestTime(next: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 60; count += 1) {
    await next();
    times.push(performance.now());
    // The process is busy for some requests, so that the timer of the next one is late.
    if (count % 7 === 0) while (performance.now() - times.at(-1)! < 4 * everyMs);
  }
  return Math.min(...times.slice(9).map((time, at) => time - times[at]!));
}

test('requests are never more than the rate says', async () => {
  const pace = new Pace(rate);
  expect(await shortestTime(() => pace.next())).toBeGreaterThanOrEqual(shortestMs);
});

test('control: a pace that catches up is found', async () => {
  let nextAt = 0;
  const catchesUp = async (): Promise<void> => {
    const at = nextAt === 0 ? performance.now() : nextAt;
    nextAt = at + everyMs;
    if (at > performance.now()) await wait(at - performance.now());
  };
  expect(await shortestTime(catchesUp)).toBeLessThan(shortestMs);
});

test('a request that is sent again takes a place', async () => {
  const pace = new Pace(rate);
  await pace.next();
  const from = performance.now();
  pace.skip();
  await pace.next();
  expect(performance.now() - from).toBeGreaterThanOrEqual(2 * everyMs - 1);
});
