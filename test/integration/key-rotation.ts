/** Key rotation on every engine: every sealed row moves once to the new wrapping key, while others write. */

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createWrapping } from '../../src/core/vault/data-key.ts';
import { type KeyRing, parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import { announcementOf } from '../../src/payments/recurring/account-updater/announced-changes.ts';
import {
  CardChangeReader,
  CardChangeRepository,
} from '../../src/payments/recurring/account-updater/store/card-changes.ts';
import type { StoredDetail } from '../../src/payments/recurring/details.ts';
import { DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { createKeyRotation, type KeyRotation, rowsLeft } from '../../src/stores/sql/key-rotation.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import { tables } from '../support/migrated.ts';
import { anna, cardNumber, furnish, iban, ring, sampleDetail } from './samples.ts';
import type { EngineFactory } from './store.ts';

const old = ring.current;
const spare = parseKeyRing(`k-new:${'ab'.repeat(32)}\nindex:${'ac'.repeat(32)}\npepper:${'ad'.repeat(32)}`);
const newer: KeyRing = {
  ...ring,
  current: 'k-new',
  wrapping: new Map([...spare.wrapping, ...ring.wrapping]),
};
/** As it is when the old key was taken out. */
const alone: KeyRing = { ...newer, wrapping: spare.wrapping };

const other = { company: 'Other', merchantAccount: 'OtherMerchant', shopperReference: 'ben' };
const cardNumber2 = '5555444433331111';
const quietly = { begun() {}, moved() {} };

export function describeKeyRotation({ open, dispose }: EngineFactory): void {
  describe('key rotation', () => {
    let engine: Engine;
    let store: Store;
    let rotation: KeyRotation;
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
      store = createStore(engine);
      rotation = createKeyRotation(engine, createWrapping(newer), tables);
    });
    afterEach(() => dispose(engine));

    const shopper = (n: number) => ({ ...anna, shopperReference: `shopper-${Math.floor(n / 50)}` });
    const reference = (n: number) => `${n % 2 === 0 ? 'd' : 'D'}-${n}`;
    const fill = async (rows: number) => {
      for (let from = 0; from < rows; from += 50)
        await store.write(async (tx) => {
          await tx.repository(DetailRepository).saveShopper(shopper(from), { createdAt: 1 });
          for (let n = from; n < Math.min(from + 50, rows); n += 1)
            await tx.repository(DetailRepository).saveDetail(shopper(n), sampleDetail(reference(n)));
        });
    };
    const detailsOf = async (key = anna) =>
      (await store.write((tx) => tx.repository(DetailRepository).findShopper(key)))?.details ?? [];
    const expectOpens = (details: readonly StoredDetail[], company = 'Demo', keys = alone) => {
      const vault = createVault(keys);
      for (const { recurringDetailReference, sealed } of details) {
        const scope = { tenant: company, record: recurringDetailReference };
        expect(vault.open(scope, sealed, 'number')).toBe(cardNumber);
        expect(vault.open(scope, sealed, 'payload')).toContain(iban);
      }
    };

    test('nothing to do', async () => {
      const reported: number[] = [];
      const rotated = await rotation.rotate({ begun: (total) => reported.push(total), moved: () => reported.push(-1) });
      expect(rotated).toEqual({ moved: 0, broken: { first: [], rows: 0 }, counts: new Map() });
      expect(reported).toEqual([0]);
    });

    test('moves every detail, over pages, and only the wrapping', async () => {
      const rows = 1_120;
      await fill(rows);
      await store.write(async (tx) => {
        await tx.repository(DetailRepository).saveShopper(other, { createdAt: 1 });
        await tx.repository(DetailRepository).saveDetail(other, sampleDetail(reference(0), { company: 'Other' }));
        await tx.repository(DetailRepository).disableDetail(shopper(3), reference(3), 9);
      });
      expect(await rotation.count()).toEqual(new Map([[old, rows + 1]]));
      const before = await detailsOf(shopper(0));
      const reported: number[] = [];
      const rotated = await rotation.rotate({ begun: (n) => reported.push(n), moved: (n) => reported.push(n) });
      expect(rotated).toMatchObject({ moved: rows + 1, broken: { rows: 0 } });
      expect(rotated.counts).toEqual(new Map([['k-new', rows + 1]]));
      expect(reported[0]).toBe(rows + 1);
      expect(reported.at(-1)).toBe(rows + 1);
      const after = await detailsOf(shopper(0));
      expect(after).toHaveLength(49);
      for (const [index, { sealed, ...rest }] of after.entries()) {
        const { sealed: was, ...same } = before[index]!;
        expect(rest).toEqual(same);
        expect([sealed.number, sealed.payload]).toEqual([was.number, was.payload]);
        expect([sealed.keyId, sealed.dataKey === was.dataKey]).toEqual(['k-new', false]);
      }
      for (let n = 0; n < rows; n += 50) expectOpens(await detailsOf(shopper(n)));
      expectOpens(await detailsOf(other), 'Other');
      expect((await rotation.rotate(quietly)).moved).toBe(0);
    });

    test('moves what announced changes hold, and leaves those alone that hold nothing', async () => {
      const account = { merchantAccount: 'DemoMerchant' };
      const change = {
        ...account,
        number: '4111111111111111',
        newNumber: cardNumber2,
        newExpiryMonth: '4',
        newExpiryYear: '2031',
      };
      const replaced = announcementOf(change, 'Demo', createVault(ring));
      const closed = announcementOf({ ...account, number: cardNumber2, status: 'closed' }, 'Demo', createVault(ring));
      await store.write(async (tx) => {
        for (const each of [replaced, closed])
          await tx.repository(CardChangeRepository).saveAnnouncement('Demo', each, 1);
      });
      expect(await rotation.rotate(quietly)).toMatchObject({ moved: 1, counts: new Map([['k-new', 1]]) });
      const moved = await store.read((tx) =>
        tx.repository(CardChangeReader).findAnnouncement('Demo', replaced.fingerprint),
      );
      expect(moved).toEqual({
        ...replaced,
        sealed: { ...replaced.sealed, keyId: 'k-new', dataKey: expect.any(String) },
      });
      const scope = { tenant: 'Demo', record: `announced ${replaced.fingerprint}` };
      expect(createVault(alone).open(scope, moved!.sealed!, 'number')).toBe(cardNumber2);
    });

    test('goes on where another one was given up', async () => {
      await fill(350);
      const halt = new Error('halt');
      const halting = rotation.rotate({
        begun() {},
        moved(done) {
          if (done >= 200) throw halt;
        },
      });
      await expect(halting).rejects.toBe(halt);
      expect(await rotation.count()).toEqual(
        new Map([
          ['k-new', 200],
          [old, 150],
        ]),
      );
      expect((await rotation.rotate(quietly)).moved).toBe(150);
      for (let n = 0; n < 350; n += 50) expectOpens(await detailsOf(shopper(n)));
    });

    test('two at once move each detail once', async () => {
      await fill(600);
      const [one, two] = await Promise.all([rotation.rotate(quietly), rotation.rotate(quietly)]);
      expect(one.moved + two.moved).toBe(600);
      for (const { counts } of [one, two]) expect(counts).toEqual(new Map([['k-new', 600]]));
      for (let n = 0; n < 600; n += 50) expectOpens(await detailsOf(shopper(n)));
    });

    test('a detail that is sealed anew between reading and moving stays as it was sealed, and is moved after', async () => {
      await fill(3);
      const fresh = sampleDetail(reference(1));
      const wrapping = createWrapping(newer);
      let saving: Promise<unknown> | undefined;
      let sealings = 0;
      const meddled = createKeyRotation(
        writing(engine, async (write) => {
          await saving;
          return write();
        }),
        {
          ...wrapping,
          rewrap(scope, wrapped) {
            sealings += 1;
            saving ??= store.write((tx) => tx.repository(DetailRepository).saveDetail(shopper(1), fresh));
            return wrapping.rewrap(scope, wrapped);
          },
        },
        tables,
      );
      const rotated = await meddled.rotate(quietly);
      // The first pass wins two of three; the third is moved by the next one.
      expect(sealings).toBe(4);
      expect(rotated).toMatchObject({ moved: 3, counts: new Map([['k-new', 3]]) });
      const details = await detailsOf(shopper(0));
      expectOpens(details);
      expect(details.find((each) => each.recurringDetailReference === reference(1))?.sealed.number).toBe(
        fresh.sealed.number,
      );
    });

    test('rows that do not open or whose key is absent stay and are reported; the rest moves', async () => {
      await fill(5);
      const stranger = sampleDetail('STRANGER');
      const broken = sampleDetail('BROKEN');
      await store.write(async (tx) => {
        await tx
          .repository(DetailRepository)
          .saveDetail(shopper(0), { ...stranger, sealed: { ...stranger.sealed, keyId: 'k-gone' } });
        await tx
          .repository(DetailRepository)
          .saveDetail(shopper(0), { ...broken, sealed: { ...broken.sealed, dataKey: broken.sealed.number! } });
      });
      const rotated = await rotation.rotate(quietly);
      expect(rotated).toEqual({
        moved: 5,
        broken: { first: [{ tenant: 'Demo', record: 'BROKEN' }], rows: 1 },
        counts: new Map([
          ['k-new', 5],
          [old, 1],
          ['k-gone', 1],
        ]),
      });
      expect(rowsLeft(rotated.counts, 'k-new')).toBe(2);
      const details = await detailsOf(shopper(0));
      const find = (name: string) => details.find(({ recurringDetailReference }) => recurringDetailReference === name);
      expect(find('BROKEN')?.sealed).toEqual({ ...broken.sealed, dataKey: broken.sealed.number! });
      expect(find('STRANGER')?.sealed).toEqual({ ...stranger.sealed, keyId: 'k-gone' });
    });

    test('a server that goes on sealing with the old key does not keep it for ever', async () => {
      await fill(2);
      let more = 0;
      const meddled = writing(engine, async (write) => {
        const moved = await write();
        more += 1;
        // Before all others in their order, so that the pass is beyond it already.
        await store.write((tx) => tx.repository(DetailRepository).saveDetail(shopper(0), sampleDetail(`A-${more}`)));
        return moved;
      });
      const rotated = await createKeyRotation(meddled, createWrapping(newer), tables).rotate(quietly);
      expect(rotated).toMatchObject({
        moved: 6,
        counts: new Map([
          ['k-new', 6],
          [old, 1],
        ]),
      });
    });
  });
}

/** The engine, with something done around each of its units. */
const writing = (engine: Engine, around: <T>(write: () => Promise<T>) => Promise<T>): Engine => ({
  dialect: engine.dialect,
  read: (work) => engine.read(work),
  write: (work, options) => around(() => engine.write(work, options)),
  close: () => engine.close(),
});
