/** Caller records on every store: processes add up, limits and retention hold; and on every engine, last requests move to another key. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createWrapping } from '../../src/core/vault/data-key.ts';
import { parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import {
  type CallerUpdate,
  type CallerUse,
  idOf,
  otherOfAll,
  otherOfCredential,
  type StoredCallerRecords,
} from '../../src/insight/callers/caller-record.ts';
import { createCallerRecords } from '../../src/insight/callers/caller-records.ts';
import { openRequest } from '../../src/insight/callers/last-request.ts';
import { createCallerRecorder } from '../../src/insight/callers/recorder.ts';
import { sumOf } from '../../src/operators/callers/handlers.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { createKeyRotation } from '../../src/stores/sql/key-rotation.ts';
import { ring } from '../support/fixture.ts';
import { migrate, tables } from '../support/migrated.ts';
import { type CallerStores, type OpenCallers, sqlCallers } from './caller-stores.ts';
import type { EngineFactory } from './store.ts';

const dayMs = 86_400_000;
const today = 20_500;
const at = today * dayMs + 1_000;
const vault = createVault(ring);
const disable = recurringV25.operations.get('disable')!;
const input = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };

const use: CallerUse = {
  tenant: 'Demo',
  credential: 'c1',
  service: 'Recurring',
  operation: 'disable',
  version: 25,
  format: 'soap11',
  client: 'PHP-SOAP/8.2.7',
};
const none = { succeeded: 0, refused: 0, failed: 0, switchedOff: 0, exempt: 0 };

const update = (also: Partial<CallerUse> = {}, more: Partial<CallerUpdate> = {}): CallerUpdate => ({
  id: idOf({ ...use, ...also }),
  use: { ...use, ...also },
  firstUsedAt: at,
  lastUsedAt: at,
  lastOutcome: 'ok',
  days: [{ ...none, day: today, succeeded: 1 }],
  ...more,
});

/** The records used since a moment, with the sums of their counts since then. */
async function list(records: StoredCallerRecords, since = 0) {
  const uses = await records.listUses(since);
  const days = await records.listDays(uses, since);
  return uses.map((each) => ({ ...each, ...sumOf(days.get(each.id) ?? []) }));
}

/** The suite of every store. */
export function describeStoredCallers(open: OpenCallers): void {
  describe('caller records', () => {
    let stores: CallerStores;
    beforeEach(async () => {
      stores = await open();
    });
    afterEach(() => stores.close());

    test('updates add up, whichever came first', async () => {
      const records = stores.records();
      const later = { firstUsedAt: at + 5, lastUsedAt: at + 9, lastOutcome: 'invalidCard' };
      const days = [
        { ...none, day: today, refused: 2, exempt: 1 },
        { ...none, day: today + 1, failed: 3, switchedOff: 4 },
      ];
      await records.add([update({}, { ...later, days }), update({ version: undefined })]);
      await records.add([update(), update({ client: 'Axis/1.4' })]);
      const [newest, ...others] = await list(records);
      expect(newest).toEqual({
        id: idOf(use),
        use,
        firstUsedAt: at,
        lastUsedAt: at + 9,
        lastOutcome: 'invalidCard',
        ...{ succeeded: 1, refused: 2, failed: 3, switchedOff: 4, exempt: 1 },
      });
      expect(others).toHaveLength(2);
      expect(others.find(({ use: { version } }) => version === undefined)).toMatchObject({ succeeded: 1 });
      // The counts are those of the days since then.
      expect(await list(records, (today + 1) * dayMs)).toEqual([]);
      await records.add([update({}, { lastUsedAt: at + dayMs, days: [] })]);
      expect(await list(records, (today + 1) * dayMs)).toMatchObject([{ succeeded: 0, failed: 3, switchedOff: 4 }]);
    });

    test('several processes add to the same records at once', async () => {
      const processes = Array.from({ length: 4 }, () => stores.records());
      const clients = Array.from({ length: 20 }, (_, n) => ({ client: `client-${n}` }));
      for (let round = 0; round < 3; round += 1)
        await Promise.all(
          processes.map((records, n) =>
            records.add((n % 2 === 0 ? clients : clients.toReversed()).map((each) => update(each))),
          ),
        );
      const listed = await list(processes[0]!);
      expect(listed.map(({ succeeded }) => succeeded)).toEqual(clients.map(() => 12));
    });

    test('what exceeds a limit is counted as other, of its credential or of all', async () => {
      const records = stores.records({ max: 8, perCredential: 3 });
      const names = (credential: string) =>
        Array.from({ length: 5 }, (_, n) => update({ credential, client: `c${n}` }));
      const sealed = vault.seal({ tenant: 'Demo', record: 'x' }, { payload: 'x' });
      const surplus = { ...names('c1')[4]!, request: { ...sealed, payload: sealed.payload! } };
      await records.add([...names('c1').slice(0, 4), surplus]);
      await records.add(names('c1'));
      const ofCredential = (await list(records)).find(({ id }) => id === idOf(otherOfCredential(use)));
      expect(ofCredential).toMatchObject({ use: otherOfCredential(use), succeeded: 4 });
      expect(await records.findRequest(ofCredential!.id)).toBeUndefined();
      await records.add([...names('c2'), ...names('c3'), ...names('c4')]);
      expect((await list(records)).find(({ id }) => id === idOf(otherOfAll))).toMatchObject({
        use: otherOfAll,
        succeeded: 9,
      });
      expect(await records.listUses(0)).toHaveLength(10);
      // Known callers are counted as before.
      await records.add(names('c1').slice(0, 3));
      expect((await list(records)).find(({ id }) => id === names('c1')[0]!.id)).toMatchObject({ succeeded: 3 });
    });

    test('old records and old days are deleted', async () => {
      const records = stores.records();
      const many = Array.from({ length: 100 }, (_, n) => update({ client: `old-${n}` }));
      const days = Array.from({ length: 30 }, (_, n) => ({ ...none, day: today - n, succeeded: 1 }));
      await records.add(many.map((each) => ({ ...each, days })));
      await records.add([update({}, { lastUsedAt: at + dayMs, days: [...days, { ...days[0]!, day: today + 1 }] })]);
      await records.deleteBefore(at + 1);
      expect(await list(records)).toMatchObject([{ id: idOf(use), succeeded: 2 }]);
      expect((await records.listDays([update()], 0)).get(idOf(use))).toHaveLength(2);
    });

    test('a credential has records until they are deleted, and its numbers are free again', async () => {
      const records = stores.records({ max: 8, perCredential: 1 });
      await records.add([update({ client: 'old' })]);
      expect([await records.hasCredential('c1'), await records.hasCredential('c')]).toEqual([true, false]);
      await records.deleteBefore(at + 1);
      expect(await records.hasCredential('c1')).toBe(false);
      await records.add([update()]);
      expect(await records.findUse(idOf(use))).toEqual(use);
      expect(await records.findUse(idOf(otherOfCredential(use)))).toBeUndefined();
    });

    test('the last request of a caller is found, until its record is deleted', async () => {
      const records = stores.records();
      const sealed = vault.seal({ tenant: 'Demo', record: 'x' }, { payload: 'x' });
      const request = { keyId: sealed.keyId, dataKey: sealed.dataKey, payload: sealed.payload! };
      await records.add([update({}, { request })]);
      await records.add([update()]);
      expect(await records.findRequest(idOf(use))).toEqual(request);
      await records.deleteBefore(at + 1);
      expect(await records.findRequest(idOf(use))).toBeUndefined();
    });
  });
}

/** What only engines have. */
export function describeCallerRecords(factory: EngineFactory): void {
  describeStoredCallers(sqlCallers(factory));
  describe('caller records of an engine', () => {
    let engine: Engine;
    beforeEach(async () => {
      engine = await factory.open();
      await migrate(engine);
    });
    afterEach(() => factory.dispose(engine));

    test('the last request of a caller is found again, and moves to another key', async () => {
      const records = createCallerRecords(engine);
      const recorder = createCallerRecorder({
        records,
        vault,
        clock: { now: () => at },
      });
      const entry = { protocol: 'soap11', service: 'Recurring', version: 25, operation: 'disable', outcome: 'ok' };
      const call = (reference: string) =>
        recorder.record(
          {},
          {
            entry: { ...entry, credential: 'c1', tenant: 'Demo' },
            decoded: { operation: disable, input: { ...input, shopperReference: reference }, issues: [] },
          },
        );
      for (const reference of ['shopper-1', 'shopper-2']) {
        call(reference);
        await recorder.flush();
      }
      const { id } = (await records.listUses(0))[0]!;
      const expected = { version: 25, credential: 'apiKey', input: { ...input, shopperReference: 'shopper-2' } };
      expect(openRequest(vault, 'Demo', id, (await records.findRequest(id))!)).toEqual(expected);
      const renewed = parseKeyRing(
        `k-new:${'44'.repeat(32)}\nk-test:${'11'.repeat(32)}\nindex:${'22'.repeat(32)}\npepper:${'33'.repeat(32)}\n`,
      );
      const rotation = createKeyRotation(engine, createWrapping(renewed), tables);
      expect((await rotation.rotate({ begun: () => {}, moved: () => {} })).moved).toBe(1);
      const moved = (await records.findRequest(id))!;
      expect(moved.keyId).toBe('k-new');
      expect(openRequest(createVault(renewed), 'Demo', id, moved)).toEqual(expected);
      expect(await records.findRequest('0'.repeat(16))).toBeUndefined();
    });
  });
}
