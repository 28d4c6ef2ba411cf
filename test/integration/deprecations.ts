/** Stored deprecations on every store: revisions, changes at the same time and limits; and on every engine, copies and the audit log. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AuditActor } from '../../src/access/audit/audit-event.ts';
import { StoredAuditLog } from '../../src/access/audit/audit-log.ts';
import { createAuditedWrite, writeUnaudited } from '../../src/access/audit/audited-write.ts';
import { LiveDeprecations } from '../../src/backend/deprecations/live.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import type { DeprecationRule } from '../../src/insight/callers/deprecation.ts';
import { createDeprecationStore } from '../../src/insight/callers/deprecations.ts';
import {
  type DeprecationStore,
  exemptionsMax,
  storedDeprecationsMax,
} from '../../src/insight/callers/stored-deprecation.ts';
import { copyStore } from '../../src/stores/sql/copy.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { ring } from '../support/fixture.ts';
import { owners, tables } from '../support/migrated.ts';
import { type CallerStores, type OpenCallers, sqlCallers } from './caller-stores.ts';
import type { EngineFactory } from './store.ts';

const anna: AuditActor = { type: 'user', name: 'anna' };
const ben: AuditActor = { type: 'credential', name: 'cr_ben' };
const rule: DeprecationRule = {
  format: ['soap11', 'soap12'],
  deprecatedSince: '2026-12-01',
  sunset: '2027-06-30',
  brownOuts: [{ every: 'tuesday', from: '09:00', to: '09:30', timeZone: 'Europe/Amsterdam' }],
};
const now = 1_700_000_000_000;
const clock = { now: () => now };

const garble = statement('test-garble-rule', `update deprecation set rule = '{"format"'`);

/** The suite of every store. */
export function describeStoredDeprecations(open: OpenCallers): void {
  describe('deprecations', () => {
    let stores: CallerStores;
    let store: DeprecationStore;
    beforeEach(async () => {
      stores = await open();
      store = stores.deprecations(clock);
    });
    afterEach(() => stores.close());

    test('a new store has none', async () => {
      expect(await store.load()).toEqual({ revision: 0, deprecations: [], exemptions: [] });
      expect(await store.revision()).toBe(0);
    });

    test('each change has a revision of its own', async () => {
      const id = await store.add({ ...rule, except: ['cr_a'] }, anna);
      const added = { id, rule, revision: 1, changedAt: now, changedBy: 'user anna' };
      const exemption = { deprecation: id, credential: 'cr_a', exemptedAt: now, exemptedBy: 'user anna' };
      expect(await store.load()).toEqual({ revision: 1, deprecations: [added], exemptions: [exemption] });
      await store.exempt(id, 'cr_b', ben);
      await store.exempt(id, 'cr_b', anna);
      await store.replace(id, { format: 'form', deprecatedSince: '2026-12-01' }, ben);
      const { revision, deprecations, exemptions } = await store.load();
      expect([revision, await store.revision()]).toEqual([4, 4]);
      expect(deprecations).toEqual([
        {
          id,
          rule: { format: 'form', deprecatedSince: '2026-12-01' },
          revision: 4,
          changedAt: now,
          changedBy: 'credential cr_ben',
        },
      ]);
      expect(exemptions.map(({ credential, exemptedBy }) => [credential, exemptedBy])).toEqual([
        ['cr_a', 'user anna'],
        ['cr_b', 'credential cr_ben'],
      ]);
      await store.endExemption(id, 'cr_a', anna);
      expect((await store.load()).exemptions).toHaveLength(1);
      await store.remove(id, anna);
      expect(await store.load()).toEqual({ revision: 6, deprecations: [], exemptions: [] });
    });

    test('what somebody else has changed or removed meanwhile is not overwritten', async () => {
      const id = await store.add(rule, anna);
      await store.replace(id, { ...rule, sunset: '2027-09-30' }, ben, 1);
      await expect(store.replace(id, rule, anna, 1)).rejects.toMatchObject({ reason: 'changed' });
      await expect(store.remove(id, anna, 1)).rejects.toMatchObject({ reason: 'changed' });
      expect(await store.load()).toMatchObject({ revision: 2, deprecations: [{ rule: { sunset: '2027-09-30' } }] });
      await store.remove(id, anna, 2);
      await expect(store.replace(id, rule, anna)).rejects.toMatchObject({ reason: 'unknown' });
      await expect(store.remove(id, anna)).rejects.toMatchObject({ reason: 'unknown' });
      await expect(store.endExemption(id, 'cr_a', anna)).rejects.toMatchObject({ reason: 'unknown' });
      expect(await store.revision()).toBe(3);
    });

    test('changes at the same time have different revisions', async () => {
      await Promise.all(Array.from({ length: 8 }, () => store.add(rule, anna)));
      const { revision, deprecations } = await store.load();
      expect(revision).toBe(8);
      expect(deprecations.map((each) => each.revision)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });

    test('a store holds so many deprecations, and each so many exemptions', async () => {
      let last = '';
      for (let count = 0; count < storedDeprecationsMax; count += 1) last = await store.add(rule, anna);
      await expect(store.add(rule, anna)).rejects.toMatchObject({ reason: 'tooMany' });
      await store.replace(last, rule, anna);
      const all = Array.from({ length: exemptionsMax }, (_, index) => `cr_${index}`);
      await store.replace(last, { ...rule, except: all }, anna);
      await expect(store.exempt(last, 'cr_more', anna)).rejects.toMatchObject({ reason: 'tooMany' });
      expect((await store.load()).exemptions).toHaveLength(exemptionsMax);
    });
  });
}

/** What only engines have. */
export function describeDeprecations({ open, dispose, ...others }: EngineFactory): void {
  describeStoredDeprecations(sqlCallers({ open, dispose, ...others }));
  describe('deprecations of an engine', () => {
    let engine: Engine;
    let store: DeprecationStore;
    beforeEach(async () => {
      engine = await open();
      store = createDeprecationStore({ engine, clock, write: writeUnaudited(engine) });
    });
    afterEach(() => dispose(engine));

    test('processes of a copy notice what it brought, and earlier revisions do not come again', async () => {
      const target = await open();
      const copied = createDeprecationStore({ engine: target, clock, write: writeUnaudited(target) });
      const live = new LiveDeprecations({ configured: [], store: copied, clock, report: () => {} });
      await live.refresh();
      expect(live.current).toBeUndefined();

      const id = await store.add(rule, anna);
      await store.replace(id, rule, anna);
      await copyStore(engine, target, owners, { begun: () => {}, moved: () => {} });
      expect(await copied.load()).toEqual(await store.load());
      await live.refresh();
      expect(live.current).toBeDefined();
      // Whoever looked at revision 2 has not seen these.
      await copied.replace(id, rule, ben);
      await copied.replace(id, rule, ben);
      await expect(copied.replace(id, rule, anna, 2)).rejects.toMatchObject({ reason: 'changed' });
      await dispose(target);
    });

    test('a rule that is no JSON is loaded as the text that it is', async () => {
      await store.add(rule, anna);
      await engine.write((session) => session.execute(garble, []));
      expect((await store.load()).deprecations[0]?.rule).toBe('{"format"');
    });

    test('the audit log says who has changed what', async () => {
      const log = new StoredAuditLog({ engine, vault: createVault(ring), clock, process: 'host 1', tables });
      const write = createAuditedWrite({ engine, log, clock, actor: anna });
      const audited = createDeprecationStore({ engine, clock, write });
      const id = await audited.add({ ...rule, except: ['cr_a'] }, ben);
      await audited.replace(id, { ...rule, brownOuts: [] }, ben);
      await audited.exempt('config_0123456789', 'cr_b', ben);
      await audited.endExemption('config_0123456789', 'cr_b', anna);
      await audited.remove(id, ben);
      // A refused change is no effect.
      await expect(audited.remove(id, ben)).rejects.toThrow();
      const entries = await log.list({ max: 10 });
      const calls = { calls: 'format soap11, soap12', deprecatedSince: '2026-12-01', sunset: '2027-06-30' };
      const brownOuts = 'tuesday 09:00-09:30 Europe/Amsterdam';
      expect(entries.map(({ kind, actor, subject, detail }) => [kind, actor, subject, JSON.parse(detail)])).toEqual([
        ['deprecationAdded', 'cr_ben', id, { ...calls, brownOuts, exempt: 'cr_a' }],
        ['deprecationChanged', 'cr_ben', id, calls],
        ['exemptionAdded', 'cr_ben', 'config_0123456789', { credential: 'cr_b' }],
        ['exemptionRemoved', 'anna', 'config_0123456789', { credential: 'cr_b' }],
        ['deprecationRemoved', 'cr_ben', id, calls],
      ]);
    });
  });
}
