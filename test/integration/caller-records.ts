/** Caller records on every engine: processes add up, limits and retention hold, and last requests move to another key. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type CallerUpdate,
  type CallerUse,
  idOf,
  otherOfAll,
  otherOfCredential,
} from '../../src/callers/caller-record.ts';
import { createCallerRecords } from '../../src/callers/caller-records.ts';
import { openRequest } from '../../src/callers/last-request.ts';
import { createCallerRecorder } from '../../src/callers/recorder.ts';
import { recurringV25 } from '../../src/services/recurring/versions.ts';
import { type Engine, statement } from '../../src/store/sql/engine.ts';
import { createKeyRotation } from '../../src/store/sql/key-rotation.ts';
import { createWrapping } from '../../src/vault/data-key.ts';
import { parseKeyRing } from '../../src/vault/key-ring.ts';
import { createVault } from '../../src/vault/vault.ts';
import { ring } from '../support/fixture.ts';
import { migrate, tables } from '../support/migrated.ts';
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

const countRows = statement<{ readonly records: number; readonly days: number }>(
  'test-count-callers',
  'select (select count(*) from caller_record) as records, (select count(*) from caller_record_day) as days',
);

export function describeCallerRecords({ open, dispose }: EngineFactory): void {
  describe('caller records', () => {
    let engine: Engine;
    beforeEach(async () => {
      engine = await open();
      await migrate(engine);
    });
    afterEach(() => dispose(engine));
    const rows = () => engine.read(async (session) => (await session.query(countRows, []))[0]!);

    test('updates add up, whichever came first', async () => {
      const records = createCallerRecords(engine);
      const later = { firstUsedAt: at + 5, lastUsedAt: at + 9, lastOutcome: 'invalidCard' };
      const days = [
        { ...none, day: today, refused: 2, exempt: 1 },
        { ...none, day: today + 1, failed: 3, switchedOff: 4 },
      ];
      await records.add([update({}, { ...later, days }), update({ version: undefined })]);
      await records.add([update(), update({ client: 'Axis/1.4' })]);
      const [newest, ...others] = await records.list(0);
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
      expect(await records.list((today + 1) * dayMs)).toEqual([]);
      await records.add([update({}, { lastUsedAt: at + dayMs, days: [] })]);
      expect(await records.list((today + 1) * dayMs)).toMatchObject([{ succeeded: 0, failed: 3, switchedOff: 4 }]);
    });

    test('several processes add to the same records at once', async () => {
      const processes = Array.from({ length: 4 }, () => createCallerRecords(engine));
      const clients = Array.from({ length: 20 }, (_, n) => ({ client: `client-${n}` }));
      for (let round = 0; round < 3; round += 1)
        await Promise.all(
          processes.map((records, n) =>
            records.add((n % 2 === 0 ? clients : clients.toReversed()).map((each) => update(each))),
          ),
        );
      const listed = await processes[0]!.list(0);
      expect(listed.map(({ succeeded }) => succeeded)).toEqual(clients.map(() => 12));
    });

    test('what exceeds a limit is counted as other, of its credential or of all', async () => {
      const records = createCallerRecords(engine, { max: 8, perCredential: 3 });
      const names = (credential: string) =>
        Array.from({ length: 5 }, (_, n) => update({ credential, client: `c${n}` }));
      const sealed = vault.seal({ tenant: 'Demo', record: 'x' }, { payload: 'x' });
      const surplus = { ...names('c1')[4]!, request: { ...sealed, payload: sealed.payload! } };
      await records.add([...names('c1').slice(0, 4), surplus]);
      await records.add(names('c1'));
      const ofCredential = (await records.list(0)).find(({ id }) => id === idOf(otherOfCredential(use)));
      expect(ofCredential).toMatchObject({ use: otherOfCredential(use), succeeded: 4 });
      expect(await records.findRequest(ofCredential!.id)).toBeUndefined();
      await records.add([...names('c2'), ...names('c3'), ...names('c4')]);
      expect((await records.list(0)).find(({ id }) => id === idOf(otherOfAll))).toMatchObject({
        use: otherOfAll,
        succeeded: 9,
      });
      expect(await rows()).toMatchObject({ records: 10 });
      // Known callers are counted as before.
      await records.add(names('c1').slice(0, 3));
      expect((await records.list(0)).find(({ id }) => id === names('c1')[0]!.id)).toMatchObject({ succeeded: 3 });
    });

    test('old records and old days are deleted', async () => {
      const records = createCallerRecords(engine);
      const many = Array.from({ length: 100 }, (_, n) => update({ client: `old-${n}` }));
      const days = Array.from({ length: 30 }, (_, n) => ({ ...none, day: today - n, succeeded: 1 }));
      await records.add(many.map((each) => ({ ...each, days })));
      await records.add([update({}, { lastUsedAt: at + dayMs, days: [...days, { ...days[0]!, day: today + 1 }] })]);
      await records.deleteBefore(at + 1);
      expect(await rows()).toEqual({ records: 1, days: 102 });
      expect(await records.list(0)).toMatchObject([{ id: idOf(use), succeeded: 2 }]);
    });

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
      const { id } = (await records.list(0))[0]!;
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
