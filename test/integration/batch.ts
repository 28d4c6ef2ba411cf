/** Updater checks in batch files, on every engine: each check is in one file, is found by it and ends once. */

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  batchCycle,
  batchFile,
  batchResponse,
  batchWait,
  updaterCheck,
} from '../../src/payments/recurring/account-updater/job-kinds.ts';
import {
  BatchedCheckRepository,
  type BatchQueue,
  createBatchQueue,
} from '../../src/payments/recurring/account-updater/store/batch.ts';
import { type JobKind, type JobQueue, LeaseLost } from '../../src/stores/jobs/job.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { createJobs } from '../../src/stores/sql/jobs.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import { passTime } from '../support/advance-time.ts';
import { furnish } from './samples.ts';
import type { EngineFactory } from './store.ts';

const answerMsMax = 10_000;

export function describeGathering({ open, dispose }: EngineFactory): void {
  describe('the batch queue', () => {
    let engine: Engine;
    let store: Store;
    let jobs: JobQueue;
    let batchQueue: BatchQueue;
    let rung: JobKind[];
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
      rung = [];
      store = createStore(engine);
      jobs = createJobs(engine);
      batchQueue = createBatchQueue(createStore(engine, { onJobSaved: (kind) => rung.push(kind) }));
    });
    afterEach(() => dispose(engine));

    const later = (ms: number) => engine.write((session) => session.execute(passTime, [ms]));
    const save = (...ids: readonly string[]) =>
      store.write(async (tx) => {
        for (const jobId of ids) {
          await tx.jobs.save({ tenant: 'Demo', jobId, kind: batchWait, payload: '{}' });
        }
      });
    const take = (kind: JobKind) => jobs.take(kind, { leaseOwner: 'here', leaseMs: 1_000, max: 100 });
    const collect = (file: string, max = 100) => batchQueue.collect(file, { max, answerMsMax });
    const idsOf = async (file: string) => (await batchQueue.findBatchedChecks(file, 100)).map(({ jobId }) => jobId);

    test('those that wait are counted up to a limit, with how long the first of them has', async () => {
      expect(await batchQueue.findWaiting(10)).toEqual({ checks: 0, longestMs: 0 });
      await save('one', 'two', 'three');
      await later(5_000);
      const { checks, longestMs } = await batchQueue.findWaiting(2);
      expect(checks).toBe(2);
      expect(longestMs).toBeGreaterThanOrEqual(5_000);
    });

    test('a file has a job to write it, and no file is without a check', async () => {
      expect(await collect('empty')).toBe(0);
      await save('one', 'two');
      expect(await collect('file')).toBe(2);
      expect(rung).toEqual([batchFile]);
      expect((await take(batchFile)).map(({ jobId }) => jobId)).toEqual(['file']);
      expect(await batchQueue.findWaiting(10)).toMatchObject({ checks: 0 });
    });

    test('its checks are found in pages, in one order, until they are ended', async () => {
      await save('c', 'a', 'b');
      await collect('file');
      const [first, ...others] = await batchQueue.findBatchedChecks('file', 2);
      expect([first, ...others].map((each) => each?.jobId)).toEqual(['a', 'b']);
      expect(await batchQueue.findBatchedChecks('file', 2, others[0])).toMatchObject([
        { jobId: 'c', leaseOwner: 'file' },
      ]);
      await store.write((tx) => tx.jobs.end(first!));
      expect(await idsOf('file')).toEqual(['b', 'c']);
    });

    test('one is found by its name within its company, and ended once', async () => {
      await save('one');
      const find = (company: string) => store.write((tx) => tx.repository(BatchedCheckRepository).find(company, 'one'));
      expect(await find('Demo')).toBeUndefined();
      await collect('file');
      expect(await find('Other')).toBeUndefined();
      const found = await find('Demo');
      await store.write((tx) => tx.jobs.end(found!));
      expect(await find('Demo')).toBeUndefined();
      await expect(store.write((tx) => tx.jobs.end(found!))).rejects.toThrow(LeaseLost);
    });

    test('a check without a response is due again; the worker that takes it removes it from the file', async () => {
      await save('one');
      await collect('file');
      const [found] = await batchQueue.findBatchedChecks('file', 1);
      await later(answerMsMax - 1_000);
      expect(await take(batchResponse)).toEqual([]);
      await later(1_001);
      const [taken] = await take(batchResponse);
      await expect(store.write((tx) => tx.jobs.end(found!))).rejects.toThrow(LeaseLost);
      await store.write((tx) => tx.jobs.end(taken!));
    });

    test('of several who collect at once each check is in one file, and none is left', async () => {
      const all = Array.from({ length: 60 }, (_, n) => `check-${String(n).padStart(2, '0')}`);
      for (let from = 0; from < all.length; from += 15) await save(...all.slice(from, from + 15));
      const files = Array.from({ length: 12 }, (_, n) => `file-${n}`);
      await Promise.all(files.map((file) => collect(file, 7)));
      for (let n = 0; (await collect(`rest-${n}`, 7)) > 0; n++) files.push(`rest-${n}`);
      const found = (await Promise.all(files.map(idsOf))).flat();
      expect(found.toSorted()).toEqual(all);
    });

    test('what another kind of updater was to tell goes on, and there is one round', async () => {
      await save('one', 'two');
      await collect('file', 1);
      await batchQueue.begin('http');
      expect(await take(updaterCheck)).toHaveLength(2);
      await Promise.all([batchQueue.begin('batch'), batchQueue.begin('batch')]);
      expect(await collect('another')).toBe(2);
      expect(await take(batchCycle)).toHaveLength(1);
      await batchQueue.begin('local');
      expect(await idsOf('another')).toHaveLength(2);
    });
  });
}
