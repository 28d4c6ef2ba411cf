/** Jobs on every engine: each commits with its effect, has one worker at a time, runs in the order of its key and ends once. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type JobQueue, LeaseLost, type NewJob, type TakenJob } from '../../src/stores/jobs/job.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { createInspection } from '../../src/stores/sql/inspection.ts';
import { createJobs } from '../../src/stores/sql/jobs.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import { passTime } from '../support/advance-time.ts';
import { furnish, vault } from './samples.ts';
import type { EngineFactory } from './store.ts';

export function describeJobs({ open, dispose }: EngineFactory): void {
  describe('jobs', () => {
    let engine: Engine;
    let store: Store;
    let jobs: JobQueue;
    let rung: string[];
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
      rung = [];
      store = createStore(engine, { onJobSaved: (kind) => rung.push(kind) });
      jobs = createJobs(engine);
    });
    afterEach(() => dispose(engine));

    const job = (jobId: string, more: Partial<NewJob> = {}): NewJob => ({
      tenant: 'Demo',
      jobId,
      kind: 'webhook',
      payload: `{"n":"${jobId}"}`,
      ...more,
    });
    const save = (...all: readonly NewJob[]) =>
      store.write(async (tx) => {
        for (const each of all) await tx.jobs.save(each);
      });
    const take = (max = 10, holder = 'here', kind: NewJob['kind'] = 'webhook') =>
      jobs.take(kind, { leaseOwner: holder, leaseMs: 60_000, max });
    const findDead = (tenant: string, kind: string) => createInspection(engine).findDead(kind, { tenant, max: 10 });
    const ids = (taken: readonly TakenJob[]) => taken.map(({ jobId }) => jobId).sort();
    const end = (taken: TakenJob) => store.write((tx) => tx.jobs.end(taken));
    const later = (ms: number) => engine.write((session) => session.execute(passTime, [ms]));

    test('a job is taken as it was saved, by one worker while its lease lasts', async () => {
      const scope = { tenant: 'Demo', record: 'job one' };
      const sealed = vault.seal(scope, { number: '4111111111111111' });
      await save(job('one', { sealed, kind: 'check' }));
      expect(rung).toEqual(['check']);
      expect(await take()).toEqual([]);
      const [taken, ...others] = await take(10, 'here', 'check');
      expect(others).toEqual([]);
      expect(taken).toEqual({
        tenant: 'Demo',
        jobId: 'one',
        kind: 'check',
        orderingKey: 'one',
        payload: '{"n":"one"}',
        sealed: { ...sealed, payload: undefined },
        createdAt: expect.any(Number),
        ageMs: expect.any(Number),
        attempts: 1,
        leaseOwner: 'here',
      });
      expect(vault.open(scope, taken!.sealed!, 'number')).toBe('4111111111111111');
      expect(await take(10, 'there', 'check')).toEqual([]);
      await end(taken!);
      await later(70_000);
      expect(await take(10, 'there', 'check')).toEqual([]);
    });

    test('a transaction that rolls back saves no job and announces none', async () => {
      const halt = new Error('halt');
      await expect(
        store.write(async (tx) => {
          await tx.jobs.save(job('one'));
          throw halt;
        }),
      ).rejects.toBe(halt);
      expect(await take()).toEqual([]);
      expect(rung).toEqual([]);
    });

    test('one whose lease is over is taken over; who had it can neither end nor postpone nor give it up', async () => {
      await save(job('one'));
      const [early] = await take();
      await later(50_000);
      expect(await take(10, 'there')).toEqual([]);
      await later(20_000);
      const [late] = await take(10, 'there');
      expect(late).toMatchObject({ jobId: 'one', attempts: 2, leaseOwner: 'there' });
      await expect(end(early!)).rejects.toThrow(LeaseLost);
      await expect(jobs.retryLater(early!, 0, 'late')).rejects.toThrow(LeaseLost);
      await expect(jobs.abandon(early!, 'late')).rejects.toThrow(LeaseLost);
      await end(late!);
      await expect(end(late!)).rejects.toThrow(LeaseLost);
    });

    test('a transaction that ends a job with a lost lease rolls back', async () => {
      await save(job('one'));
      const [early] = await take();
      await later(70_000);
      const [late] = await take(10, 'there');
      const ending = store.write(async (tx) => {
        await tx.jobs.save(job('two'));
        await tx.jobs.end(early!);
      });
      await expect(ending).rejects.toThrow(LeaseLost);
      await end(late!);
      expect(await take()).toEqual([]);
    });

    test('jobs of one ordering key run in the order in which they were saved; keys do not wait for each other', async () => {
      await save(job('a1', { orderingKey: 'a' }), job('b1', { orderingKey: 'b' }));
      await save(job('a2', { orderingKey: 'a' }), job('a3', { orderingKey: 'a' }));
      await save(job('a1', { orderingKey: 'a', tenant: 'Other' }));
      const first = await take();
      expect(ids(first)).toEqual(['a1', 'a1', 'b1']);
      expect(await take()).toEqual([]);
      const [a1] = first.filter(({ tenant: company, orderingKey }) => company === 'Demo' && orderingKey === 'a');
      await jobs.retryLater(a1!, 30_000, 'not yet');
      await later(20_000);
      expect(await take()).toEqual([]);
      await later(15_000);
      const [again] = await take();
      expect(again).toMatchObject({ jobId: 'a1', attempts: 2 });
      await end(again!);
      const [a2] = await take();
      expect(a2).toMatchObject({ jobId: 'a2', attempts: 1 });
      await end(a2!);
      expect(ids(await take())).toEqual(['a3']);
    });

    test('a dead job lets the next of its ordering key run, and is listed until it is revived', async () => {
      await save(job('a1', { orderingKey: 'a' }), job('a2', { orderingKey: 'a' }));
      const [a1] = await take();
      await jobs.abandon(a1!, 'no response');
      expect(await findDead('Demo', 'webhook')).toEqual([
        expect.objectContaining({ jobId: 'a1', attempts: 1, lastFailure: 'no response' }),
      ]);
      expect(await findDead('Other', 'webhook')).toEqual([]);
      expect(await findDead('Demo', 'check')).toEqual([]);
      const [a2] = await take();
      expect(a2).toMatchObject({ jobId: 'a2' });
      await end(a2!);
      expect(await take()).toEqual([]);
      expect(await jobs.revive('Other', 'a1')).toBe(false);
      expect(await jobs.revive('Demo', 'a1')).toBe(true);
      expect(await jobs.revive('Demo', 'a1')).toBe(false);
      expect(await findDead('Demo', 'webhook')).toEqual([]);
      expect(await take()).toEqual([expect.objectContaining({ jobId: 'a1', attempts: 1 })]);
    });

    test('a revived job is the first of its ordering key, and later ones wait for it', async () => {
      await save(job('a1', { orderingKey: 'a' }));
      await jobs.abandon((await take())[0]!, 'no');
      await jobs.revive('Demo', 'a1');
      await save(job('a2', { orderingKey: 'a' }));
      const [a1, ...others] = await take();
      expect([a1?.jobId, others]).toEqual(['a1', []]);
      await end(a1!);
      expect(ids(await take())).toEqual(['a2']);
    });

    test('an ordering key continues when a revived job ends after all others', async () => {
      await save(job('a1', { orderingKey: 'a' }), job('a2', { orderingKey: 'a' }));
      await jobs.abandon((await take())[0]!, 'no');
      const [a2] = await take();
      await jobs.revive('Demo', 'a1');
      const [a1] = await take();
      await end(a2!);
      await end(a1!);
      await save(job('a3', { orderingKey: 'a' }), job('a4', { orderingKey: 'a' }));
      const [a3, ...others] = await take();
      expect([a3?.jobId, others]).toEqual(['a3', []]);
      await end(a3!);
      expect(ids(await take())).toEqual(['a4']);
    });

    test('an ordering key whose jobs are all dead continues with the next job', async () => {
      await save(job('a1', { orderingKey: 'a' }));
      await jobs.abandon((await take())[0]!, 'no');
      await save(job('a2', { orderingKey: 'a' }));
      expect(ids(await take())).toEqual(['a2']);
    });

    test('the longest due come first, and no more than asked for', async () => {
      await save(job('late', { afterMs: 5_000 }), job('soon', { afterMs: 3_000 }), job('now'));
      expect(ids(await take())).toEqual(['now']);
      await later(6_000);
      expect(ids(await take(1))).toEqual(['soon']);
      expect(ids(await take(1))).toEqual(['late']);
    });

    test('several at once take each job once, and none is left', async () => {
      const many = Array.from({ length: 60 }, (_, n) => job(`job-${n}`, { orderingKey: `key-${n % 20}` }));
      for (let from = 0; from < many.length; from += 15) await save(...many.slice(from, from + 15));
      const seen: string[] = [];
      const worker = async (holder: string) => {
        for (let idle = 0; idle < 5; ) {
          const taken = await take(4, holder);
          idle = taken.length === 0 ? idle + 1 : 0;
          for (const each of taken) {
            await end(each);
            seen.push(each.jobId);
          }
        }
      };
      await Promise.all(['one', 'two', 'three', 'four'].map(worker));
      expect(seen).toHaveLength(60);
      expect(new Set(seen).size).toBe(60);
      for (let key = 0; key < 20; key += 1) {
        const order = seen.filter((id) => Number(id.slice(4)) % 20 === key);
        expect(order).toEqual(order.toSorted((a, b) => Number(a.slice(4)) - Number(b.slice(4))));
      }
    });
  });
}
