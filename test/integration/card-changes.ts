/** What every engine owes announced card changes, and the history of the details that followed. */

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { announcementOf, createLocalUpdater } from '../../src/payments/recurring/account-updater/announced-changes.ts';
import {
  CardChangeReader,
  CardChangeRepository,
} from '../../src/payments/recurring/account-updater/store/card-changes.ts';
import type { Announcement } from '../../src/payments/recurring/account-updater/updater.ts';
import type { DetailChange, ShopperKey } from '../../src/payments/recurring/details.ts';
import { cardIdentity } from '../../src/payments/recurring/instrument.ts';
import { DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import { anna, anyInstrument, cardNumber, furnish, sampleDetail, vault } from './samples.ts';
import type { EngineFactory } from './store.ts';

const newNumber = '5555444433331111';
const expiry = { expiryMonth: '8', expiryYear: '2034' };
const renewal = { number: cardNumber, newExpiryMonth: '08', newExpiryYear: '2034' };

export function describeCardChanges({ open, dispose }: EngineFactory): void {
  describe('announced card changes', () => {
    let engine: Engine;
    let store: Store;
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
      store = createStore(engine);
    });
    afterEach(() => dispose(engine));

    const announce = (change: Parameters<typeof announcementOf>[0], company = 'Demo') =>
      store.write((tx) =>
        tx.repository(CardChangeRepository).saveAnnouncement(company, announcementOf(change, company, vault), 7),
      );
    const find = (company = 'Demo', number = cardNumber): Promise<Announcement | undefined> =>
      store.write((tx) =>
        tx.repository(CardChangeRepository).findAnnouncement(company, vault.fingerprint(company, cardIdentity(number))),
      );
    const outcome = (company = 'Demo') =>
      store.write((tx) =>
        createLocalUpdater(vault, { testCards: false }).check(
          {
            company,
            fingerprint: vault.fingerprint(company, cardIdentity(cardNumber)),
            expiry: { expiryMonth: '1', expiryYear: '2030' },
            number: () => {
              throw new Error('no number is opened for an announcement');
            },
          },
          tx.repository(CardChangeReader),
        ),
      );

    test('each comes back as it was announced, and the updater answers by it', async () => {
      expect(await find()).toBeUndefined();
      expect(await outcome()).toEqual({ kind: 'unchanged' });
      await announce(renewal);
      expect(await outcome()).toEqual({ kind: 'renewed', expiry });
      await announce({ ...renewal, newNumber });
      expect(await outcome()).toEqual({ kind: 'replaced', number: newNumber, expiry });
      for (const status of ['closed', 'contactCardholder', 'unchanged'] as const) {
        await announce({ number: cardNumber, status });
        expect(await find()).toMatchObject({ status, expiry: undefined, sealed: undefined });
        expect(await outcome()).toEqual({ kind: status });
      }
    });
    test('of another company, or of another card, nothing is known', async () => {
      await announce({ number: cardNumber, status: 'closed' });
      expect(await find('Other')).toBeUndefined();
      expect(await outcome('Other')).toEqual({ kind: 'unchanged' });
      expect(await find('Demo', newNumber)).toBeUndefined();
    });
    test('the new number opens in its own place only', async () => {
      await announce({ ...renewal, newNumber });
      const { sealed, fingerprint } = (await find())!;
      expect(JSON.stringify(sealed)).not.toContain(newNumber);
      const elsewhere = { tenant: 'Demo', record: fingerprint };
      expect(() => vault.open(elsewhere, sealed!, 'number')).toThrow();
    });
    test('commits with its transaction and rolls back with it', async () => {
      const broken = store.write(async (tx) => {
        await tx.repository(CardChangeRepository).saveAnnouncement('Demo', announcementOf(renewal, 'Demo', vault), 7);
        throw new Error('no');
      });
      await expect(broken).rejects.toThrow('no');
      expect(await find()).toBeUndefined();
    });
  });

  describe('the details of a card, and their histories', () => {
    let engine: Engine;
    let store: Store;
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
      store = createStore(engine);
    });
    afterEach(() => dispose(engine));

    const save = (key: ShopperKey, ...details: ReturnType<typeof sampleDetail>[]) =>
      store.write(async (tx) => {
        await tx.repository(DetailRepository).saveShopper(key, { createdAt: 7 });
        for (const detail of details) await tx.repository(DetailRepository).saveDetail(key, detail);
      });
    const ben: ShopperKey = { ...anna, shopperReference: 'ben' };
    const nl: ShopperKey = { ...anna, merchantAccount: 'DemoMerchantNL' };
    const other: ShopperKey = { company: 'Other', merchantAccount: 'OtherMerchant', shopperReference: 'anna' };
    const change = (recurringDetailReference: string, also: Partial<DetailChange> = {}): DetailChange => ({
      recurringDetailReference,
      changedAt: 11,
      changedBy: 'cr_1',
      pspReference: 'PSP0000000000001',
      outcome: 'PANChanged',
      before: { lastFour: '1111', alias: 'A1', expiryMonth: '3', expiryYear: '2030' },
      after: { lastFour: '1112', alias: 'A2', ...expiry },
      ...also,
    });

    test('the active details of one merchant account, whole, oldest first', async () => {
      const [second, first] = [sampleDetail('D2', { createdAt: 2 }), sampleDetail('D1', { createdAt: 1 })];
      await save(anna, second, sampleDetail('D3', { createdAt: 3 }), sampleDetail('X', { fingerprint: 'another' }));
      await save(ben, first);
      await save(nl, sampleDetail('D4'));
      await save(other, sampleDetail('D5', { company: 'Other' }));
      await store.write((tx) => tx.repository(DetailRepository).disableDetail(anna, 'D3', 9));
      const found = await store.write((tx) =>
        tx.repository(DetailRepository).findDetails(anna, { fingerprint: first.fingerprint, match: anyInstrument }),
      );
      expect(found).toEqual([
        { shopperReference: 'ben', detail: first },
        { shopperReference: 'anna', detail: second },
      ]);
    });
    test('a shopper is known with disabled details and histories, oldest first', async () => {
      expect(await store.read((tx) => tx.repository(CardChangeReader).findHistory(anna))).toBeUndefined();
      await save(anna, sampleDetail('D1', { createdAt: 1 }), sampleDetail('D2', { createdAt: 2 }));
      await save(ben, sampleDetail('D3'));
      const later = change('D1', { changedAt: 12, pspReference: 'PSP0000000000002', outcome: 'CloseAccount' });
      const { after: _none, ...closing } = later;
      await store.write(async (tx) => {
        await tx.repository(CardChangeRepository).saveChange('Demo', closing);
        await tx.repository(CardChangeRepository).saveChange('Demo', change('D1'));
        await tx.repository(CardChangeRepository).saveChange('Demo', change('D3'));
        await tx.repository(DetailRepository).disableDetail(anna, 'D1', 12);
      });
      const known = await store.read((tx) => tx.repository(CardChangeReader).findHistory(anna));
      expect(known).toMatchObject({
        createdAt: 7,
        details: [
          { recurringDetailReference: 'D1', disabledAt: 12, contracts: ['ONECLICK', 'RECURRING'] },
          { recurringDetailReference: 'D2', disabledAt: undefined, changes: [] },
        ],
      });
      expect(known!.details[0]!.changes).toEqual([change('D1'), { ...closing, after: undefined }]);
      expect(JSON.stringify(known)).not.toContain(cardNumber);
    });
    test('a request changes a detail once, and a history needs a detail', async () => {
      await save(anna, sampleDetail('D1'));
      await store.write((tx) => tx.repository(CardChangeRepository).saveChange('Demo', change('D1')));
      await expect(
        store.write((tx) => tx.repository(CardChangeRepository).saveChange('Demo', change('D1'))),
      ).rejects.toThrow();
      await expect(
        store.write((tx) => tx.repository(CardChangeRepository).saveChange('Demo', change('D9'))),
      ).rejects.toThrow();
      expect(
        (await store.read((tx) => tx.repository(CardChangeReader).findHistory(anna)))!.details[0]!.changes,
      ).toHaveLength(1);
    });
  });
}
