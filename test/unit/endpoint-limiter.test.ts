/** The limits on deliveries to an endpoint: concurrency, the circuit breaker, and independence of other endpoints. */
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createEndpointLimiter } from '../../src/jobs/webhooks/endpoint-limiter.ts';

const deliveryMsMax = 700;
const createLimiter = (concurrencyMax = 2) => createEndpointLimiter({ concurrencyMax, deliveryMsMax });

test('limits deliveries at the same time; later ones wait for a slot or are deferred', async () => {
  const limiter = createLimiter();
  expect(await limiter.enter('a')).toBe('go');
  expect(await limiter.enter('a')).toBe('go');
  const startedAt = performance.now();
  expect(await limiter.enter('a')).toMatchObject({ isDown: false, afterMs: 2_000 });
  expect(performance.now() - startedAt).toBeGreaterThan(450);
  const waiting = [limiter.enter('a'), limiter.enter('a'), limiter.enter('a')];
  expect(await limiter.enter('b')).toBe('go');
  limiter.leave('a');
  limiter.leave('a');
  expect(await Promise.all(waiting)).toEqual(['go', 'go', expect.objectContaining({ isDown: false })]);
  limiter.leave('a');
  expect(await limiter.enter('a')).toBe('go');
});

test('opens after five failures in a row, lets one probe through, and closes after a success', async () => {
  const limiter = createLimiter();
  const fail = async () => {
    expect(await limiter.enter('a')).toBe('go');
    limiter.leave('a', 'it answered 500');
  };
  for (let n = 0; n < 4; n += 1) await fail();
  expect(await limiter.enter('a')).toBe('go');
  limiter.leave('a');
  for (let n = 0; n < 5; n += 1) await fail();
  const deferred = await limiter.enter('a');
  expect(deferred).toMatchObject({ because: 'it answered 500', isDown: true });
  expect(await limiter.enter('b')).toBe('go');
  await setTimeout((deferred as { afterMs: number }).afterMs + 5);
  expect(await limiter.enter('a')).toBe('go');
  const duringProbe = (await limiter.enter('a')) as { afterMs: number; isDown: boolean };
  expect(duringProbe.isDown).toBe(true);
  // The rest of the time that the probe may take.
  expect(duringProbe.afterMs).toBeGreaterThan(0);
  expect(duringProbe.afterMs).toBeLessThanOrEqual(deliveryMsMax);
  limiter.leave('a');
  expect(await limiter.enter('a')).toBe('go');
  expect(await limiter.enter('a')).toBe('go');
});

test('counts deliveries that fail together as one more failure, and stays open longer each time', async () => {
  const limiter = createLimiter(50);
  await Promise.all(Array.from({ length: 50 }, () => limiter.enter('a')));
  for (let n = 0; n < 50; n += 1) limiter.leave('a', 'it answered 500');
  const first = (await limiter.enter('a')) as { afterMs: number };
  expect(first.afterMs).toBeLessThanOrEqual(1_000);
  await setTimeout(first.afterMs + 5);
  expect(await limiter.enter('a')).toBe('go');
  limiter.leave('a', 'it answered 500');
  const second = (await limiter.enter('a')) as { afterMs: number };
  expect(second.afterMs).toBeGreaterThan(900);
  expect(second.afterMs).toBeLessThanOrEqual(2_000);
});

test('a slot that comes free while the circuit is open goes on to the next delivery', async () => {
  const limiter = createLimiter(1);
  for (let n = 0; n < 4; n += 1) {
    await limiter.enter('a');
    limiter.leave('a', 'it answered 500');
  }
  expect(await limiter.enter('a')).toBe('go');
  const waiting = [limiter.enter('a'), limiter.enter('a')];
  limiter.leave('a', 'it answered 500');
  const deferred = (await Promise.all(waiting)) as readonly { afterMs: number; isDown: boolean }[];
  expect(deferred.map(({ isDown }) => isDown)).toEqual([true, true]);
  await setTimeout(deferred[1]!.afterMs + 5);
  expect(await limiter.enter('a')).toBe('go');
});
