/** For every engine: requests that were forwarded are pending until they have an outcome, whoever finds it. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { NewPendingRequest } from '../../src/idempotency/ports.ts';
import { type Engine, statement } from '../../src/store/sql/engine.ts';
import { deleteExpiredRecords } from '../../src/store/sql/expired-records.ts';
import { createUnsettledRequests, type UnsettledRequests } from '../../src/store/sql/unsettled-requests.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { ForwardingRun } from '../simulation/forwarding.ts';
import type { EngineFactory } from './store.ts';

const age = statement(
  'test-age-pending',
  'update pending_request set in_flight_until = now_ms(), repeatable_until = now_ms() + $1',
);
const ageRecords = statement('test-age-records', 'update idempotency_record set expires_at = expires_at - $1');
const daysMs = 400 * 24 * 60 * 60 * 1000;
const readCommitted = { isolation: 'readCommitted' } as const;

/** Each opens a database of its own. */
const runsOfModel = 5;

export function describeForwarding({ open, dispose }: EngineFactory): void {
  describe('forwarded requests', () => {
    let engine: Engine;
    let store: Store;
    let unsettled: UnsettledRequests;
    beforeEach(async () => {
      engine = await open();
      store = createStore(engine);
      unsettled = createUnsettledRequests(engine);
    });
    afterEach(() => dispose(engine));

    const record = { requestHash: 'h', operation: 'disable', requestReference: 'A' };
    const reserve = (parts: Partial<NewPendingRequest> = {}): Promise<void> =>
      store.write(async (tx) => {
        const id = parts.id ?? 'A';
        const recordKey = `key of ${id}`;
        expect(
          await tx.idempotencyRecords.reservePending(recordKey, { ...record, requestReference: id }),
        ).toBeUndefined();
        await tx.pendingRequests.add({
          id,
          recordKey,
          upstream: 'orders',
          service: 'Orders',
          operation: 'placeOrder',
          tenant: 'Demo',
          credential: 'c',
          process: 'host 1',
          input: '{"a":1}',
          inFlightMs: 30_000,
          repeatableMs: 0,
          ...parts,
        });
      }, readCommitted);
    const found = () => store.read((tx) => tx.idempotencyRecords.find('key of A'));
    const passInFlight = (repeatableMs = 0) => engine.write((session) => session.execute(age, [repeatableMs]));

    test('one is in flight, then a retry may ask again, then it is unknown', async () => {
      await reserve();
      expect(await found()).toEqual({ requestHash: 'h', pending: { id: 'A', attempt: 'A', state: 'inFlight' } });
      await passInFlight(30_000);
      expect(await found()).toMatchObject({ pending: { state: 'repeatable' } });
      expect(await unsettled.countUnknown()).toBe(0);
      await passInFlight();
      expect(await found()).toMatchObject({ pending: { state: 'unknown' } });
      expect(await unsettled.countUnknown()).toBe(1);
    });
    test('one request takes over, and the earlier one can no longer withdraw it', async () => {
      await reserve();
      const pending = { id: 'A', attempt: 'A', state: 'repeatable' } as const;
      const takeOver = (by: string) =>
        store.write((tx) => tx.pendingRequests.takeOver(pending, by, 30_000), readCommitted);
      expect(await takeOver('B')).toBe(false);
      await passInFlight(30_000);
      const taken = await Promise.all(['B', 'C', 'D'].map(takeOver));
      expect(taken.filter((each) => each)).toHaveLength(1);
      expect(await store.write((tx) => tx.pendingRequests.remove('A', 'A'), readCommitted)).toBe(false);
      expect(await found()).toMatchObject({ pending: { state: 'inFlight' } });
    });
    test('an answer and an operator at once: one of them settles it, and the record has one outcome', async () => {
      for (let at = 0; at < 10; at += 1) {
        const id = `R${at}`;
        await reserve({ id });
        await passInFlight();
        const answered = store.write(async (tx) => {
          const isOwn = await tx.pendingRequests.remove(id);
          if (isOwn) await tx.idempotencyRecords.completePending(`key of ${id}`, 'answered');
          return isOwn;
        }, readCommitted);
        const [byAnswer, byOperator] = await Promise.all([
          answered,
          unsettled.settle(id, at % 2 === 0 ? 'settled' : undefined),
        ]);
        expect([byAnswer, byOperator].filter((each) => each)).toHaveLength(1);
        const stored = await store.read((tx) => tx.idempotencyRecords.find(`key of ${id}`));
        const settled = at % 2 === 0 ? { requestHash: 'h', outcome: 'settled' } : undefined;
        expect(stored).toEqual(byAnswer ? { requestHash: 'h', outcome: 'answered' } : settled);
      }
    });
    test('an operator settles none that is in flight', async () => {
      await reserve();
      expect(await unsettled.settle('A', 'settled')).toBe(false);
      expect(await found()).toMatchObject({ pending: { state: 'inFlight' } });
    });
    test('neither it nor its record expires; with an outcome the record does', async () => {
      await reserve();
      await passInFlight();
      await engine.write((session) => session.execute(ageRecords, [daysMs]));
      expect(await deleteExpiredRecords(engine, { owner: 'one' })).toMatchObject({ deleted: 0 });
      expect(await found()).toMatchObject({ pending: { state: 'unknown' } });
      expect(await unsettled.settle('A', 'settled')).toBe(true);
      expect(await found()).toEqual({ requestHash: 'h', outcome: 'settled' });
      await engine.write((session) => session.execute(ageRecords, [daysMs]));
      expect(await found()).toBeUndefined();
    });
    test('an unknown one is reported once, by one process', async () => {
      await reserve();
      expect(await unsettled.takeUnreported()).toEqual([]);
      await passInFlight();
      const reported = await Promise.all([unsettled.takeUnreported(), unsettled.takeUnreported()]);
      expect(reported.flat()).toMatchObject([{ id: 'A', upstream: 'orders', input: '{"a":1}', state: 'unknown' }]);
      expect(await unsettled.takeUnreported()).toEqual([]);
    });
    test.each([true, false])('the model finds nothing, where the server deduplicates: %s', async (deduplicates) => {
      for (let seed = 1; seed <= runsOfModel; seed += 1) {
        const own = await open();
        const run = new ForwardingRun({ engine: own, seed, deduplicates });
        const failures = await run.run();
        await dispose(own);
        if (failures.length > 0) throw new Error([`seed ${seed}`, ...failures, ...run.trace].join('\n'));
      }
    });
  });
}
