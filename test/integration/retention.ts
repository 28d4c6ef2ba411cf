/** Retention on every engine: what is over is destroyed in steps, by one process, and nothing else is. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { DetailReader, DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import { applyRetention, type RetentionParts, retentionRules } from '../../src/stores/retention.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { holdLease } from '../../src/stores/sql/leases.ts';
import { rowsMin } from '../../src/stores/sql/step-pace.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import type { Table } from '../../src/stores/table.ts';
import { tables } from '../support/migrated.ts';
import { anna, furnish, runText, sampleDetail } from './samples.ts';
import type { EngineFactory } from './store.ts';

const dayMs = 86_400_000;
const day = 20_000;
const now = day * dayMs;

const counts = statement<Readonly<Record<'details' | 'changes' | 'dead' | 'jobs' | 'imports' | 'announced', number>>>(
  'test-retention-counts',
  `select (select count(*) from stored_detail) as details, (select count(*) from detail_change) as changes,
     (select count(*) from job where dead_since is not null) as dead, (select count(*) from job) as jobs,
     (select count(*) from import_progress) as imports, (select count(*) from announced_change) as announced`,
);

export function describeRetention({ open, dispose }: EngineFactory): void {
  describe('retention', () => {
    let engine: Engine;
    let store: Store;
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
      store = createStore(engine);
    });
    afterEach(() => dispose(engine));

    const run = (text: string) => runText(engine, text);
    const count = () => engine.read(async (session) => (await session.query(counts, []))[0]!);
    const days = (number: number) => number * dayMs;
    const rulesOf = (msOf: (table: Table) => number | undefined) => retentionRules(tables, msOf);
    const apply = (more: Partial<RetentionParts> = {}) =>
      applyRetention({
        store,
        clock: { now: () => now },
        rules: rulesOf(({ name }) => (name === 'shopper_notification' ? undefined : days(30))),
        owner: 'one',
        pause: async () => {},
        isStopped: () => false,
        ...more,
      });
    /** Disabled ones lack as many days as their number says. */
    const addDetails = (number: number, disabledDaysAgo?: number) =>
      store.write(async (tx) => {
        const repository = tx.repository(DetailRepository);
        await repository.saveShopper(anna, { createdAt: 1 });
        for (let at = 0; at < number; at += 1) {
          const reference = `${disabledDaysAgo ?? 'active'}-${at}`;
          await repository.saveDetail(anna, { ...sampleDetail(reference), fingerprint: reference });
          if (disabledDaysAgo !== undefined)
            await repository.disableDetail(anna, reference, now - days(disabledDaysAgo));
        }
      });
    const addChange = (detail: string, daysAgo: number) =>
      run(
        `insert into detail_change values ('${anna.company}', '${detail}', 'P${detail}${daysAgo}', ${now - days(daysAgo)}, 'c', 'o', '{}', null)`,
      );

    test('destroys disabled details with their histories, and leaves others', async () => {
      await addDetails(450, 31);
      await addDetails(3, 29);
      await addDetails(2);
      await addChange('31-0', 5);
      await addChange('29-0', 5);
      await addChange('active-0', 40);
      let pauses = 0;
      const pause = async () => {
        pauses += 1;
      };
      expect(await apply({ pause })).toEqual([
        { subject: 'disabledDetail', before: now - days(30), rows: 450 },
        { subject: 'detailHistory', before: now - days(30), rows: 1 },
      ]);
      expect(pauses).toBeGreaterThanOrEqual(2);
      expect(await count()).toMatchObject({ details: 5, changes: 1 });
      const active = await store.read((tx) => tx.repository(DetailReader).findShopper(anna));
      expect(active?.details).toHaveLength(2);
      expect(await apply()).toEqual([]);
    });

    test('destroys jobs that were given up, the progress of imports and announced changes', async () => {
      const job = (id: string, deadSince: number | null) =>
        run(
          `insert into job (tenant, job_id, kind, ordering_key, position, payload, created_at, due_at, dead_since)
           values ('Demo', '${id}', 'webhook', '${id}', 1, '{}', 1, ${deadSince === null ? 1 : 'null'}, ${deadSince})`,
        );
      await job('old', now - days(31));
      await job('young', now - days(29));
      // It waits for longer than the time, and is alive.
      await job('alive', null);
      await run(`insert into import_progress values ('old', 1, ${now - days(31)}), ('young', 1, ${now})`);
      await run(
        `insert into announced_change (company, fingerprint, status, announced_at)
         values ('Demo', 'old', 'closed', ${now - days(31)}), ('Demo', 'young', 'closed', ${now})`,
      );
      expect((await apply()).map(({ subject, rows }) => [subject, rows])).toEqual([
        ['deadLetter', 1],
        ['importProgress', 1],
        ['announcedChange', 1],
      ]);
      expect(await count()).toMatchObject({ dead: 1, jobs: 2, imports: 1, announced: 1 });
    });

    test('what has no time stays', async () => {
      await addDetails(3, 400);
      const rules = rulesOf(() => undefined);
      expect(await apply({ rules })).toEqual([]);
      expect(await count()).toMatchObject({ details: 3 });
    });

    test('does nothing while another process does it, and goes on when that one has ended', async () => {
      await addDetails(3, 31);
      const lease = { name: 'retention', owner: 'other', ms: 60_000 };
      expect(await engine.write((session) => holdLease(session, lease))).toBe(true);
      expect(await apply()).toEqual([]);
      expect(await count()).toMatchObject({ details: 3 });
      await run('update lease set expires_at = 0');
      expect(await apply()).toMatchObject([{ rows: 3 }]);
      // It has ended its own.
      expect(await apply({ owner: 'third' })).toEqual([]);
      expect(await engine.write((session) => holdLease(session, lease))).toBe(true);
    });

    test('a process whose lease is taken over stops between two steps', async () => {
      await addDetails(450, 31);
      const pause = async () => {
        await run(`update lease set owner = 'other'`);
      };
      await apply({ pause });
      expect(await count()).toMatchObject({ details: 450 - rowsMin });
    });

    test('a process that stops ends after its step', async () => {
      await addDetails(450, 31);
      let isStopped = false;
      const pause = async () => {
        isStopped = true;
      };
      expect(await apply({ pause, isStopped: () => isStopped })).toMatchObject([{ rows: rowsMin }]);
      expect(await count()).toMatchObject({ details: 450 - rowsMin });
      expect(await apply({ owner: 'two' })).toMatchObject([{ rows: 450 - rowsMin }]);
    });

    test('several processes at once destroy each row once', async () => {
      await addDetails(450, 31);
      const runs = await Promise.all(['one', 'two', 'three'].map((owner) => apply({ owner })));
      expect(runs.flat().reduce((sum, { rows }) => sum + rows, 0)).toBe(450);
    });
  });
}
