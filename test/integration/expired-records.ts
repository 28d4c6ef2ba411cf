/** The clean-up of idempotency records on every engine: in small steps, by one process, without holding up keyed requests. */
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { LockTimeout } from '../../src/core/idempotency/ports.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { type CleanUpOptions, deleteExpiredRecords } from '../../src/stores/sql/expired-records.ts';
import { holdLease } from '../../src/stores/sql/leases.ts';
import { rowsMin } from '../../src/stores/sql/step-pace.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import { keepRecord } from '../support/keep-record.ts';
import type { EngineFactory } from './store.ts';

/** The most that a step deletes, but for records of the same millisecond. */
const stepMax = 1_000;
const fill = statement(
  'test-fill-expired',
  `with recursive series(n) as (select cast($1 as bigint) union all select n + 1 from series where n + 1 < cast($2 as bigint))
   insert into idempotency_record (record_key, request_hash, operation, request_reference, outcome, created_at, expires_at)
   select 'filled ' || n, 'f', 'disable', 'PSP' || n, 'x', 0, 1 + n from series`,
);
const count = statement<{ readonly rows: number }>(
  'test-count-expired',
  'select count(*) as rows from idempotency_record where expires_at <= now_ms()',
);
const loseLease = statement('test-lose-lease', 'update lease set expires_at = 0');
const deleteAll = statement('test-delete-all', 'delete from idempotency_record where expires_at <= now_ms()');

export function describeExpiredRecords({ open, dispose }: EngineFactory): void {
  describe('the clean-up of idempotency records', () => {
    let engine: Engine;
    let store: Store;
    let filled = 0;
    beforeEach(async () => {
      engine = await open();
      store = createStore(engine);
      filled = 0;
    });
    afterEach(() => dispose(engine));

    const addExpired = async (rows: number): Promise<void> => {
      await engine.write((session) => session.execute(fill, [filled, filled + rows]));
      filled += rows;
    };
    const expired = () => engine.read(async (session) => Number((await session.query(count, []))[0]!.rows));
    const keep = (key: string) => {
      const record = { requestHash: 'f', operation: 'disable', requestReference: `of ${key}` };
      return keepRecord(store, key, record, 'outcome');
    };
    const cleanUp = (options: Partial<CleanUpOptions> = {}) =>
      deleteExpiredRecords(engine, { owner: 'one', pause: async () => {}, ...options });

    test('between two steps nothing is locked: new, replayed and expired keys are answered', async () => {
      await addExpired(5_000);
      await keep('old');
      let pauses = 0;
      const { deleted, oldestExpiry } = await cleanUp({
        async pause() {
          pauses += 1;
          expect(await keep(`new ${pauses}`)).toBeUndefined();
          expect(await keep('old')).toMatchObject({ outcome: 'outcome' });
          expect(await keep(`filled ${4_999 - pauses}`)).toBeUndefined();
        },
      });
      expect(deleted).toBe(5_000 - pauses);
      expect(pauses).toBeGreaterThanOrEqual(Math.floor(5_000 / stepMax));
      expect(await expired()).toBe(0);
      expect(oldestExpiry).toBeGreaterThan(Date.now());
    });

    test('control: a deletion in one transaction holds up the keys that it deletes', async () => {
      await addExpired(10);
      const deleted = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const deletion = engine.write(async (session) => {
        await session.execute(deleteAll, []);
        deleted.resolve();
        await release.promise;
      });
      await deleted.promise;
      const answered = keep('filled 5').catch((thrown: unknown) => thrown);
      const first = await Promise.race([answered, setTimeout(100, 'waits')]);
      // On PostgreSQL it gives up after its own wait, on the embedded store it joins the group.
      expect(first === 'waits' || first instanceof LockTimeout).toBe(true);
      release.resolve();
      await Promise.all([deletion, answered]);
    });

    test('deletes at most so many records in a step, and the first ones first', async () => {
      await addExpired(3_000);
      let before = 3_000;
      await cleanUp({
        async pause() {
          const left = await expired();
          expect(before - left).toBeLessThanOrEqual(stepMax);
          before = left;
        },
        isStopped: stoppedAfter(3),
      });
      expect(before).toBeGreaterThan(0);
      const { oldestExpiry } = await cleanUp({ isStopped: () => true });
      expect(oldestExpiry).toBe(1 + 3_000 - before);
    });

    test('keeps up with records that expire meanwhile, fewer than a step deletes', async () => {
      await addExpired(2_000);
      let added = 0;
      const pause = async () => {
        // The next millisecond after all others.
        await addExpired(rowsMin - 1);
        added += rowsMin - 1;
      };
      const { deleted } = await cleanUp({ pause });
      expect(deleted).toBe(2_000 + added);
      expect(await expired()).toBe(0);
      // Control: more than a step deletes.
      await addExpired(2_000);
      const pauseTooLong = () => addExpired(2 * stepMax);
      await cleanUp({ pause: pauseTooLong, isStopped: stoppedAfter(5) });
      expect(await expired()).toBeGreaterThan(2_000);
    });

    test('one process does it at a time, and another one after it', async () => {
      await addExpired(3_000);
      let meanwhile: number | undefined;
      const { deleted } = await cleanUp({
        async pause() {
          meanwhile ??= (await cleanUp({ owner: 'other' })).deleted;
        },
      });
      expect([deleted, meanwhile]).toEqual([3_000, 0]);
      await addExpired(5);
      expect(await cleanUp({ owner: 'other' })).toMatchObject({ deleted: 5 });
    });

    test('a process that has lost its lease ends', async () => {
      await addExpired(3_000);
      const lease = { name: 'expired-records', owner: 'other', ms: 60_000 };
      const { deleted } = await cleanUp({
        async pause() {
          await engine.write((session) => session.execute(loseLease, []));
          expect(await engine.write((session) => holdLease(session, lease))).toBe(true);
        },
      });
      expect(deleted).toBeLessThanOrEqual(stepMax);
      expect(await expired()).toBe(3_000 - deleted);
    });
  });
}

function stoppedAfter(steps: number): () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    return asked > steps;
  };
}
