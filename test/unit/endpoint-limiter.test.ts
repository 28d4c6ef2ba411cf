/** Which endpoint gets a turn: a few at a time, none while it rests, and others whatever becomes of one. */
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createEndpointLimiter } from '../../src/webhooks/endpoint-limiter.ts';

const make = (atOnceMax = 2) => createEndpointLimiter({ atOnceMax, deliveryMsMax: 700 });

test('no more than so many at once; who comes later waits for a turn, or comes again', async () => {
  const turns = make();
  expect(await turns.enter('a')).toBe('go');
  expect(await turns.enter('a')).toBe('go');
  const startedAt = performance.now();
  expect(await turns.enter('a')).toMatchObject({ isDown: false, afterMs: 2_000 });
  expect(performance.now() - startedAt).toBeGreaterThan(450);
  const waiting = [turns.enter('a'), turns.enter('a'), turns.enter('a')];
  expect(await turns.enter('b')).toBe('go');
  turns.leave('a');
  turns.leave('a');
  expect(await Promise.all(waiting)).toEqual(['go', 'go', expect.objectContaining({ isDown: false })]);
  turns.leave('a');
  expect(await turns.enter('a')).toBe('go');
});

test('after five failures in a row it rests, then one is tried, and a success ends it', async () => {
  const turns = make();
  const fail = async () => {
    expect(await turns.enter('a')).toBe('go');
    turns.leave('a', 'it answered 500');
  };
  for (let n = 0; n < 4; n += 1) await fail();
  expect(await turns.enter('a')).toBe('go');
  turns.leave('a');
  for (let n = 0; n < 5; n += 1) await fail();
  const spared = await turns.enter('a');
  expect(spared).toMatchObject({ because: 'it answered 500', isDown: true });
  expect(await turns.enter('b')).toBe('go');
  await setTimeout((spared as { afterMs: number }).afterMs + 5);
  expect(await turns.enter('a')).toBe('go');
  expect(await turns.enter('a')).toMatchObject({ isDown: true, afterMs: 700 });
  turns.leave('a');
  expect(await turns.enter('a')).toBe('go');
  expect(await turns.enter('a')).toBe('go');
});

test('those that fail together count as one failure more, and each rest is longer', async () => {
  const turns = make(50);
  await Promise.all(Array.from({ length: 50 }, () => turns.enter('a')));
  for (let n = 0; n < 50; n += 1) turns.leave('a', 'it answered 500');
  const first = (await turns.enter('a')) as { afterMs: number };
  expect(first.afterMs).toBeLessThanOrEqual(1_000);
  await setTimeout(first.afterMs + 5);
  expect(await turns.enter('a')).toBe('go');
  turns.leave('a', 'it answered 500');
  const second = (await turns.enter('a')) as { afterMs: number };
  expect(second.afterMs).toBeGreaterThan(900);
  expect(second.afterMs).toBeLessThanOrEqual(2_000);
});

test('a turn that comes to one in the line of an endpoint that rests is not lost', async () => {
  const turns = make(1);
  for (let n = 0; n < 4; n += 1) {
    await turns.enter('a');
    turns.leave('a', 'it answered 500');
  }
  expect(await turns.enter('a')).toBe('go');
  const waiting = [turns.enter('a'), turns.enter('a')];
  turns.leave('a', 'it answered 500');
  const spared = (await Promise.all(waiting)) as readonly { afterMs: number; isDown: boolean }[];
  expect(spared.map(({ isDown }) => isDown)).toEqual([true, true]);
  await setTimeout(spared[1]!.afterMs + 5);
  expect(await turns.enter('a')).toBe('go');
});
