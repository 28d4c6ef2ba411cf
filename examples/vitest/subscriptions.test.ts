/** A test of a client with Vitest: the gateway is in the process of the test, without a port. */
import { createGateway } from 'triglyph';
import { builtIn, type TestGateway, withControls } from 'triglyph/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { cancelSubscriptions } from '../client/subscriptions.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createGateway(withControls({ ...builtIn(), seed: 7, clock: '2026-01-01T00:00:00Z' }));
});
beforeEach(() => gateway.reset());
afterAll(() => gateway.close());

const cancel = (shopper: string) => cancelSubscriptions('http://gateway', shopper, gateway.fetch);

test('cancels the subscriptions of a shopper, once', async () => {
  expect(await cancel('shopper-1')).toBe(true);
  expect(await cancel('shopper-1')).toBe(false);
  expect(gateway.calls).toMatchObject([
    { operation: 'disable', input: { shopperReference: 'shopper-1' }, outcome: 'ok' },
    { operation: 'disable', status: 422 },
  ]);
});

test('a lost answer is repeated with the same key, so the effect is not', async () => {
  gateway.faults.next({ operation: 'disable', drop: 'after' });
  expect(await cancel('shopper-1')).toBe(true);
  expect(gateway.calls.map(({ replayed }) => replayed)).toEqual([false, true]);
});

test('gives up when the gateway fails every time', async () => {
  gateway.faults.always({ answer: 'internal' });
  await expect(cancel('shopper-1')).rejects.toThrow('not cancelled');
  expect(gateway.calls).toHaveLength(3);
});
