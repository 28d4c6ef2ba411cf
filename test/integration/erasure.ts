/** The erasure of a shopper on every engine: every table forgets the shopper, and no other shopper is touched. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CardChangeRepository } from '../../src/payments/recurring/account-updater/store/card-changes.ts';
import type { ShopperKey } from '../../src/payments/recurring/details.ts';
import { eraseShopper } from '../../src/payments/recurring/erase-shopper.ts';
import {
  NotificationReader,
  NotificationRepository,
} from '../../src/payments/recurring/shopper-notifications/store.ts';
import { DetailReader, DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import { tables } from '../support/migrated.ts';
import { anna, furnish, runText, sampleDetail, sqlText } from './samples.ts';
import type { EngineFactory } from './store.ts';

/** The same reference at another account, and another shopper of the same account. */
const annaElsewhere: ShopperKey = { ...anna, merchantAccount: 'DemoMerchantNL' };
const bert: ShopperKey = { ...anna, shopperReference: 'bert' };
const shoppers = [anna, annaElsewhere, bert] as const;

export function describeErasure({ open, dispose }: EngineFactory): void {
  describe('the erasure of a shopper', () => {
    let engine: Engine;
    let store: Store;
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
      store = createStore(engine);
      for (const [index, key] of shoppers.entries()) await fill(key, `${index}`);
    });
    afterEach(() => dispose(engine));

    const query = (text: string) => engine.read((session) => session.query(sqlText(text), []));
    const run = (text: string) => runText(engine, text);
    const saveJob = (key: ShopperKey, id: string, kind: string, more: object = {}, deadSince: number | null = null) => {
      const { company, merchantAccount, shopperReference } = key;
      const payload = JSON.stringify({ merchantAccount, shopperReference, reference: 'r', ...more });
      return run(
        `insert into job (tenant, job_id, kind, ordering_key, position, payload, created_at, due_at, dead_since)
         values ('${company}', '${id}', '${kind}', '${id}', 1, '${payload}', 1, ${deadSince === null ? 1 : 'null'}, ${deadSince})`,
      );
    };

    /** An active and a disabled detail with a history, a notification, checks, a dead and a living event, an announcement. */
    const fill = async (key: ShopperKey, id: string) => {
      const expiry = { expiryMonth: '1', expiryYear: '2030', lastFour: '1111' };
      await store.write(async (tx) => {
        const repository = tx.repository(DetailRepository);
        await repository.saveShopper(key, { createdAt: 1, email: `${id}@example.com` });
        for (const name of ['active', 'disabled']) {
          const reference = `${name}${id}`;
          await repository.saveDetail(key, { ...sampleDetail(reference), fingerprint: `F-${reference}` });
          if (name === 'disabled') await repository.disableDetail(key, reference, 2);
          const changes = tx.repository(CardChangeRepository);
          await changes.saveChange(key.company, {
            ...{ recurringDetailReference: reference, changedAt: 1, changedBy: 'c', pspReference: `P${reference}` },
            ...{ outcome: 'x', before: expiry },
          });
          await changes.saveAnnouncement(
            key.company,
            { fingerprint: `F-${reference}`, status: 'closed', expiry: undefined, sealed: undefined },
            1,
          );
        }
        await tx.repository(NotificationRepository).save(key, {
          ...{ pspReference: `N${id}`, notifiedAt: 1, recurringDetailReference: `active${id}` },
          ...{ shopperNotificationReference: 's', amount: { currency: 'EUR', value: 1 }, reference: 'r' },
          displayedReference: 'd',
        });
      });
      await saveJob(key, `check${id}`, 'updater-check');
      // It names the detail, and no shopper.
      const recurringDetailReference = `active${id}`;
      await saveJob(key, `ofDetail${id}`, 'batch-response', { shopperReference: undefined, recurringDetailReference });
      await saveJob(key, `dead${id}`, 'webhook', {}, 5);
      await saveJob(key, `alive${id}`, 'webhook');
    };

    /** What was erased, without what there was nothing of. */
    const erase = async (key: ShopperKey) => {
      const erased = await store.write((tx) => eraseShopper(tx, key), { isolation: 'readCommitted' });
      return Object.fromEntries(Object.entries(erased).filter(([, count]) => count > 0));
    };
    const find = (key: ShopperKey) => store.read((tx) => tx.repository(DetailReader).findShopper(key));
    /** Every row of every table that holds the text, by table. */
    const tablesWith = async (text: string): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const { name } of tables)
        for (const row of await query(`select * from ${name}`))
          if (JSON.stringify(row).includes(text)) found.push(name);
      return found.sort();
    };

    test('destroys everything about the shopper but living events', async () => {
      const everywhere = await tablesWith('anna');
      expect(new Set(everywhere)).toEqual(new Set(['job', 'shopper', 'shopper_notification', 'stored_detail']));
      expect(await erase(anna)).toEqual({
        ...{ shoppers: 1, details: 2, changes: 2, notifications: 1, announcedChanges: 2 },
        ...{ checks: 2, deadLetters: 1 },
      });
      expect(await find(anna)).toBeUndefined();
      for (const text of ['active0', 'disabled0', '0@example.com']) expect(await tablesWith(text)).toEqual([]);
      const jobs = await query('select job_id from job order by job_id');
      expect(jobs.map(({ job_id }) => job_id)).toEqual(
        ['alive0', ...[1, 2].flatMap((id) => [`alive${id}`, `check${id}`, `dead${id}`, `ofDetail${id}`])].sort(),
      );
    });

    test('touches no other shopper, and not the same reference at another account', async () => {
      const before = [await find(annaElsewhere), await find(bert)];
      await erase(anna);
      expect([await find(annaElsewhere), await find(bert)]).toEqual(before);
      for (const key of [annaElsewhere, bert])
        expect(await store.read((tx) => tx.repository(NotificationReader).find(key))).toHaveLength(1);
      expect(await query('select * from detail_change')).toHaveLength(4);
      expect(await query('select * from announced_change')).toHaveLength(4);
    });

    test('an announced change of a card that another shopper has stays', async () => {
      await run(`update stored_detail set fingerprint = 'F-active0' where recurring_detail_reference = 'active2'`);
      expect(await erase(anna)).toMatchObject({ announcedChanges: 1 });
      expect(await query(`select * from announced_change where fingerprint = 'F-active0'`)).toHaveLength(1);
    });

    test('an unknown shopper, and one who was erased, have nothing', async () => {
      await erase(anna);
      expect(await erase(anna)).toEqual({});
      expect(await erase({ ...anna, shopperReference: 'nobody' })).toEqual({});
    });

    test('a shopper who comes back begins anew', async () => {
      await erase(anna);
      await store.write(async (tx) => {
        const repository = tx.repository(DetailRepository);
        await repository.saveShopper(anna, { createdAt: 9 });
        await repository.saveDetail(anna, { ...sampleDetail('active0'), fingerprint: 'F-active0' });
      });
      expect(await find(anna)).toMatchObject({ createdAt: 9, details: [{ recurringDetailReference: 'active0' }] });
    });
  });
}
