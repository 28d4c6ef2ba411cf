/** Idempotency records on every engine: a key is reserved once, commits with its transaction and is free again after it expires. */
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { LockTimeout, type NewRecord } from '../../src/core/idempotency/ports.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { deleteExpiredRecords } from '../../src/stores/sql/expired-records.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import { keepRecord } from '../support/keep-record.ts';
import { migrate } from '../support/migrated.ts';
import type { EngineFactory } from './store.ts';

const dayMs = 24 * 60 * 60 * 1000;

const age = statement('test-age', 'update idempotency_record set expires_at = now_ms() - $2 where record_key = $1');
const left = statement<{ readonly days: number }>(
  'test-left',
  `select cast(round((expires_at - now_ms()) / ${dayMs}.0) as bigint) as days from idempotency_record where record_key = $1`,
);
const fill = statement(
  'test-fill',
  `with recursive series(n) as (select 1 union all select n + 1 from series where n < $1)
   insert into idempotency_record (record_key, request_hash, operation, request_reference, outcome, created_at, expires_at)
   select 'filled ' || n, 'f', 'disable', 'PSP' || n, 'x', 0, 1 + n / 7 from series`,
);
const count = statement<{ readonly rows: number }>('test-count', 'select count(*) as rows from idempotency_record');

export function describeJournal({ open, dispose }: EngineFactory): void {
  describe('idempotency records', () => {
    let engine: Engine;
    let store: Store;
    let counted = 0;
    beforeEach(async () => {
      engine = await open();
      await migrate(engine);
      store = createStore(engine);
    });
    afterEach(() => dispose(engine));

    const claiming = (fingerprint = 'f'): NewRecord => ({
      requestHash: fingerprint,
      operation: 'disable',
      requestReference: `PSP${String(++counted).padStart(13, '0')}`,
    });
    const keep = (scope: string, outcome: string, fingerprint?: string) =>
      keepRecord(store, scope, claiming(fingerprint), outcome);
    /** Waits as often as it takes: on a busy machine the limit of one wait may be too short. */
    const keepInTime = async (scope: string, outcome: string): ReturnType<typeof keep> => {
      try {
        return await keep(scope, outcome);
      } catch (thrown) {
        if (thrown instanceof LockTimeout) return keepInTime(scope, outcome);
        throw thrown;
      }
    };
    const rows = () => engine.read(async (session) => Number((await session.query(count, []))[0]!.rows));
    const expire = (scope: string, msAgo = 0) => engine.write((session) => session.execute(age, [scope, msAgo]));

    const deleteExpired = async () => (await deleteExpiredRecords(engine, { owner: 'one' })).deleted;

    test('a key is reserved once; later requests find the stored outcome', async () => {
      expect(await keep('s', 'first')).toBeUndefined();
      expect(await keep('s', 'second', 'g')).toEqual({ requestHash: 'f', outcome: 'first' });
      expect(await keep('t', 'other')).toBeUndefined();
    });
    test('many at once: one takes it, and the others find its outcome', async () => {
      const found = await Promise.all(Array.from({ length: 20 }, (_, at) => keepInTime('s', `outcome ${at}`)));
      const [stored] = found.filter((each) => each !== undefined);
      expect(found.filter((each) => each === undefined)).toHaveLength(1);
      expect(new Set(found.map((each) => each?.outcome)).size).toBe(2);
      expect(stored?.outcome).toMatch(/^outcome \d+$/);
    });
    test('a unit that fails leaves its scope free', async () => {
      const failing = store.write(async (tx) => {
        await tx.idempotencyRecords.reserve('s', claiming());
        await tx.idempotencyRecords.complete('s', 'never');
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await keep('s', 'first')).toBeUndefined();
    });
    test('what an attempt undoes, its scope outlives', async () => {
      await store.write(async (tx) => {
        await tx.idempotencyRecords.reserve('s', claiming());
        await tx
          .savepoint(async () => {
            await tx.importProgress.save('x', 1, 1);
            throw new Error('refused');
          })
          .catch(() => {});
        await tx.idempotencyRecords.complete('s', 'refused');
      });
      expect(await store.read((tx) => tx.importProgress.find('x'))).toBe(0);
      expect(await keep('s', 'again')).toEqual({ requestHash: 'f', outcome: 'refused' });
    });
    test('a scope is known for 31 days by the clock of the database, and then free', async () => {
      await keep('s', 'first');
      expect(await engine.read(async (session) => Number((await session.query(left, ['s']))[0]!.days))).toBe(31);
      await expire('s', -5_000);
      expect(await keep('s', 'second')).toMatchObject({ outcome: 'first' });
      await expire('s');
      expect(await keep('s', 'second', 'g')).toBeUndefined();
      expect(await keep('s', 'third')).toEqual({ requestHash: 'g', outcome: 'second' });
    });
    test('what is past its time is dropped, and nothing younger', async () => {
      for (let at = 0; at < 30; at += 1) await keep(`s${at}`, 'x');
      for (let at = 0; at < 10; at += 1) await expire(`s${at}`, at);
      // During a replay of one that stays and a claim of one that goes.
      const [dropped, replayed, claimed] = await Promise.all([deleteExpired(), keep('s20', 'y'), keep('s3', 'z')]);
      expect(replayed).toMatchObject({ outcome: 'x' });
      expect(claimed).toBeUndefined();
      expect(dropped).toBeGreaterThanOrEqual(9);
      expect(await rows()).toBe(21);
      expect(await keep('s3', 'w')).toMatchObject({ outcome: 'z' });
    });
    test('a record that is replaced while the deletion waits for it stays', async () => {
      await keep('s', 'first');
      await keep('t', 'first');
      await expire('s');
      await expire('t');
      let deletion: Promise<number> | undefined;
      await store.write(async (tx) => {
        await tx.idempotencyRecords.reserve('s', claiming('g'));
        // Its answer comes behind that of the reservation, which was not waited for.
        await tx.idempotencyRecords.find('t');
        deletion ??= deleteExpired();
        // On PostgreSQL the deletion has found the expired record by then, and waits for this transaction.
        await setTimeout(50);
        await tx.idempotencyRecords.complete('s', 'second');
      });
      expect(await deletion).toBe(1);
      expect(await keep('s', 'third')).toEqual({ requestHash: 'g', outcome: 'second' });
      expect(await rows()).toBe(1);
    });
    test('more expired records than one transaction deletes are deleted', async () => {
      await engine.write((session) => session.execute(fill, [2_500]));
      await keep('s', 'stays');
      expect(await deleteExpired()).toBe(2_500);
      expect(await rows()).toBe(1);
    });
  });
}
