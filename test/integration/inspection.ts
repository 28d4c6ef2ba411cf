/** What operators see of the store, on every engine. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { NewJob } from '../../src/stores/jobs/job.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { createInspection, type StoreInspection } from '../../src/stores/sql/inspection.ts';
import { createJobs } from '../../src/stores/sql/jobs.ts';
import { createEndpoints } from '../../src/stores/sql/webhook-endpoints.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import { furnish } from './samples.ts';
import type { EngineFactory } from './store.ts';

const expire = statement('test-expire-records', 'update idempotency_record set expires_at = now_ms()');

export function describeInspection({ open, dispose }: EngineFactory): void {
  describe('what operators see of the store', () => {
    let engine: Engine;
    let store: Store;
    let inspection: StoreInspection;
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
      store = createStore(engine);
      inspection = createInspection(engine);
    });
    afterEach(() => dispose(engine));

    const job = (jobId: string, more: Partial<NewJob> = {}): NewJob => ({
      tenant: 'Demo',
      jobId,
      kind: 'webhook',
      payload: '{}',
      ...more,
    });
    const save = (...all: readonly NewJob[]) =>
      store.write(async (tx) => {
        for (const each of all) await tx.jobs.save(each);
      });
    const take = async (kind: string) =>
      (await createJobs(engine).take(kind, { leaseOwner: 'here', leaseMs: 60_000, max: 1 }))[0]!;

    test('each job is in one count of its kind', async () => {
      expect(await inspection.summarizeJobs()).toEqual([]);
      await save(
        ...[job('a', { kind: 'check' }), job('b', { kind: 'check', afterMs: 60_000 }), job('c', { kind: 'check' })],
        ...[job('1', { orderingKey: 'k' }), job('2', { orderingKey: 'k' }), job('3', { kind: 'report' })],
      );
      await take('check');
      const jobs = createJobs(engine);
      await jobs.retryLater(await take('webhook'), 60_000, 'HTTP 500');
      await jobs.abandon(await take('report'), 'given up');
      const none = { due: 0, leased: 0, scheduled: 0, blocked: 0, failing: 0, dead: 0 };
      expect(await inspection.summarizeJobs()).toEqual([
        { ...none, kind: 'check', due: 1, leased: 1, scheduled: 1, longestDueMs: expect.any(Number) },
        { ...none, kind: 'report', dead: 1 },
        { ...none, kind: 'webhook', scheduled: 1, blocked: 1, failing: 1, lastFailure: 'HTTP 500' },
      ]);
    });

    test('the events of each endpoint are counted, those of one whose id begins the same are not', async () => {
      const sealed = { keyId: 'k', dataKey: 'd', payload: 'p' };
      const endpoint = { tenant: 'Demo', url: 'https://a.example', format: 'classic', sealed, createdAt: 1 };
      for (const endpointId of ['we_a', 'we_ab'])
        await createEndpoints(engine).add({ ...endpoint, endpointId, createdAt: endpointId.length });
      await save(job('1/we_a', { orderingKey: 'we_a/x' }), job('2/we_ab', { orderingKey: 'we_ab/x' }));
      await createJobs(engine).abandon(await take('webhook'), 'HTTP 500');
      await save(job('3/we_ab', { orderingKey: 'we_ab/y' }));
      const [first, second] = await inspection.summarizeEndpoints();
      expect([first!.waiting + first!.dead, second!.waiting + second!.dead]).toEqual([1, 2]);
      expect(first!.dead + second!.dead).toBe(1);
      expect(second).toMatchObject({ tenant: 'Demo', endpointId: 'we_ab', oldestMs: expect.any(Number) });
    });

    test('dead jobs are found for one tenant and for all', async () => {
      await save(job('1/we'), job('2/we', { tenant: 'Other' }), job('3', { kind: 'check' }));
      const jobs = createJobs(engine);
      for (const kind of ['webhook', 'webhook', 'check']) await jobs.abandon(await take(kind), 'given up');
      const ids = async (options: { readonly tenant?: string; readonly max: number }) =>
        (await inspection.findDead('webhook', options)).map(({ jobId }) => jobId).sort();
      expect(await ids({ max: 10 })).toEqual(['1/we', '2/we']);
      expect(await ids({ max: 1 })).toHaveLength(1);
      expect(await ids({ tenant: 'Other', max: 10 })).toEqual(['2/we']);
      expect(await inspection.findDeadTenants('webhook')).toEqual(['Demo', 'Other']);
    });

    test('a record is found with its times while it has not expired', async () => {
      const record = { requestHash: 'hash', operation: 'disable', requestReference: 'A' };
      await store.write(async (tx) => {
        await tx.idempotencyRecords.reserve('done', record);
        await tx.idempotencyRecords.complete('done', '{"requestReference":"A"}');
      });
      await store.write((tx) => tx.idempotencyRecords.reservePending('pending', { ...record, requestReference: 'B' }));
      const created = { ...record, createdAt: expect.any(Number) };
      expect(await inspection.findRecord('done')).toEqual({
        ...created,
        expiresAt: expect.any(Number),
        outcome: '{"requestReference":"A"}',
      });
      expect(await inspection.findRecord('pending')).toEqual({ ...created, requestReference: 'B' });
      expect(await inspection.findRecord('other')).toBeUndefined();
      await engine.write((session) => session.execute(expire, []));
      expect(await inspection.findRecord('done')).toBeUndefined();
    });

    test('the schema is that of the last migration', async () => {
      const owner = expect.stringMatching(/^(?:engine|recurring|balance-platform)$/);
      expect(await inspection.findSchema()).toEqual({ number: 1, owner, appliedAt: expect.any(Number) });
    });
  });
}
