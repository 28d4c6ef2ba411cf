/** Fingerprints that were moved in the database, on every engine: no answer, update or announcement follows them to another card. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Caller, CanonicalRequest } from '../../src/core/contract/canonical.ts';
import type { Input, Operation } from '../../src/core/contract/operation.ts';
import { parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import { accountHolders } from '../../src/payments/balance-platform/account-holders/kind.ts';
import { balanceAccounts } from '../../src/payments/balance-platform/balance-accounts/kind.ts';
import type { IssuedCard } from '../../src/payments/balance-platform/payment-instruments/card-numbers.ts';
import { paymentInstruments } from '../../src/payments/balance-platform/payment-instruments/kind.ts';
import { sealCard } from '../../src/payments/balance-platform/payment-instruments/secrets.ts';
import type { ResourceKind } from '../../src/payments/balance-platform/resource.ts';
import { ResourceRepository } from '../../src/payments/balance-platform/store/repository.ts';
import { announcementOf, createLocalUpdater } from '../../src/payments/recurring/account-updater/announced-changes.ts';
import { scheduleAccountUpdater } from '../../src/payments/recurring/account-updater/schedule.ts';
import {
  CardChangeReader,
  CardChangeRepository,
} from '../../src/payments/recurring/account-updater/store/card-changes.ts';
import { noCardSearchLimits } from '../../src/payments/recurring/card-search-limits.ts';
import { cardIdentity, identityOf } from '../../src/payments/recurring/instrument.ts';
import { type NewDetail, saveDetail } from '../../src/payments/recurring/save-detail.ts';
import { DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import { tokenLookup } from '../../src/payments/recurring/token-lookup.ts';
import { newestRecurring, recurringV25 } from '../../src/payments/recurring/versions.ts';
import { WebhookFormats } from '../../src/stores/jobs/webhooks/format.ts';
import { createReindexers, findWrongFingerprints, reindex } from '../../src/stores/reindex.ts';
import { type AlteredRow, RowAltered, RowIntegrity } from '../../src/stores/row-integrity.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import type { Transaction } from '../../src/stores/transaction.ts';
import { countedIds } from '../support/fixture.ts';
import { tables } from '../support/migrated.ts';
import { createRegistry } from '../support/services.ts';
import { anna, cardNumber, furnish, pepper } from './samples.ts';
import type { EngineFactory } from './store.ts';

const otherNumber = '5555444433331111';
const newNumber = '4988438843884305';
const [older, newer] = ['aa'.repeat(32), 'bb'.repeat(32)];
const rest = `k-1:${'11'.repeat(32)}\npepper:${'33'.repeat(32)}\n`;
const oneKey = createVault(parseKeyRing(`${rest}index:${older}`));
/** During a rotation of the index key. */
const twoKeys = createVault(parseKeyRing(`${rest}index:${newer}\nindex-old:${older}`));

const caller: Caller = { credential: 'c', tenant: 'Demo', roles: new Set(), grants: new Map(), requiresKey: false };
const moveFingerprint = statement(
  'test-move-fingerprint',
  'update stored_detail set fingerprint = $2 where recurring_detail_reference = $1',
);

const loseNumber = statement('test-lose-number', `update payment_instrument set number_fingerprint = 'lost'`);

export function describeMovedFingerprints({ open, dispose }: EngineFactory): void {
  describe('fingerprints that were moved in the database', () => {
    let engine: Engine;
    /** The control: a server that compares fingerprints only. */
    let unchecked: Store;
    let store: Store;
    let altered: AlteredRow[];
    let vault = oneKey;
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
      const integrity = new RowIntegrity();
      integrity.use({ inner: '44'.repeat(32), outer: '55'.repeat(32) });
      altered = [];
      integrity.listen((row) => altered.push(row));
      store = createStore(engine, { shared: [integrity, new WebhookFormats([])] });
      unchecked = createStore(engine, { shared: [new WebhookFormats([])] });
      vault = oneKey;
      ids = countedIds();
    });
    afterEach(() => dispose(engine));

    let ids = countedIds();
    const context = () => ({ clock: { now: () => 1_700_000_000_000 }, ids, vault });
    const cardOf = (number: string) => ({ number, expiryMonth: '03', expiryYear: '2031', holderName: 'Anna' });
    const searches = {
      card: { card: cardOf(cardNumber) },
      'bank account': { bank: { iban: 'NL13TEST0123456789', countryCode: 'NL', ownerName: 'Anna' } },
      'German account': { elv: { bankLocationId: '10000000', bankAccountNumber: '123456789', accountHolderName: 'A' } },
    } as const;
    const others = {
      'another card': { card: cardOf(otherNumber) },
      'another bank account': { bank: { iban: 'NL86TEST0123456780', countryCode: 'NL', ownerName: 'Ben' } },
      'a token': { tokenDetails: { tokenDataType: 'PayPal', tokenData: { Id: 'b' } }, variant: 'paypal' },
    } as const;
    type Search = keyof typeof searches;
    const pairs = (Object.keys(searches) as Search[]).flatMap((search) =>
      (Object.keys(others) as (keyof typeof others)[]).map((other) => [search, other] as const),
    );

    const save = (detail: Partial<NewDetail>, shopperReference = 'anna', into = store) =>
      into.write((tx) =>
        saveDetail(
          { ...anna, shopperReference },
          { contracts: ['RECURRING'], firstPspReference: '8815252013129012', also: {}, ...detail },
          tx.repository(DetailRepository),
          context(),
        ),
      );
    const request = <O extends Operation>(operation: O, input: Input<O>): CanonicalRequest<O> => ({
      service: newestRecurring,
      operation,
      input,
      caller,
      requestReference: ids.requestReference(),
    });
    const operation = <N extends string>(name: N) => recurringV25.operations.get(name)!;
    const { merchantAccount } = anna;
    const lookUp = async (search: Search, from = store): Promise<readonly string[]> => {
      const input = { merchantAccount, ...searches[search] };
      const { tokens = [] } = (await from.read(
        async (tx) =>
          await tokenLookup(noCardSearchLimits)(request(operation('tokenLookup'), input) as never, tx, context()),
      )) as { readonly tokens?: readonly { readonly shopperReference: string }[] };
      return tokens.map(({ shopperReference }) => shopperReference);
    };
    const move = (reference: string, fingerprint: string) =>
      engine.write((session) => session.execute(moveFingerprint, [reference, fingerprint]));
    const fingerprintOf = (search: Search) => oneKey.fingerprint('Demo', identityOf(searches[search]));

    test.each(pairs)('tokenLookup of a %s does not tell a detail with %s', async (search, other) => {
      await save(searches[search]);
      const { detail } = await save(others[other], 'ben');
      expect(await lookUp(search)).toEqual(['anna']);
      const id = detail.recurringDetailReference;
      await move(id, fingerprintOf(search));
      for (const keys of [oneKey, twoKeys]) {
        vault = keys;
        await expect(lookUp(search)).rejects.toThrow(RowAltered);
        expect(altered.splice(0)).toEqual([{ table: 'stored_detail', tenant: 'Demo', id }]);
        // The control: the other shopper is told as a holder.
        expect(await lookUp(search, unchecked)).toContain('ben');
      }
    });
    test.each(pairs)('storing a %s does not change a detail with %s', async (search, other) => {
      const { detail } = await save(others[other]);
      const id = detail.recurringDetailReference;
      await move(id, fingerprintOf(search));
      for (const keys of [oneKey, twoKeys]) {
        vault = keys;
        await expect(save(searches[search])).rejects.toThrow(RowAltered);
        expect(altered.splice(0)).toEqual([{ table: 'stored_detail', tenant: 'Demo', id }]);
      }
      // The control: the detail now has the card or account that is stored, under its own reference.
      const same = await save(searches[search], 'anna', unchecked);
      expect(same.kind).not.toBe('created');
      expect(same.detail.recurringDetailReference).toBe(id);
    });
    test.each(Object.keys(searches) as Search[])(
      'a stored %s is found, and stored again, under either index key',
      async (search) => {
        const { detail } = await save(searches[search]);
        for (const keys of [oneKey, twoKeys, twoKeys]) {
          vault = keys;
          expect(await lookUp(search)).toEqual(['anna']);
          const again = await save(searches[search]);
          expect(again.detail.recurringDetailReference).toBe(detail.recurringDetailReference);
        }
        expect(altered).toEqual([]);
      },
    );

    const schedule = (input: object, into = store) =>
      into.write(async (tx: Transaction) => {
        const handle = scheduleAccountUpdater(createLocalUpdater(vault, { testCards: false })) as (
          ...of: readonly unknown[]
        ) => Promise<{ readonly result: string }>;
        const of = request(operation('scheduleAccountUpdater'), { merchantAccount, reference: 'r', ...input } as never);
        return (await handle(of, tx, context())).result;
      });
    const announce = async () => {
      const change = { number: cardNumber, newNumber, newExpiryMonth: '08', newExpiryYear: '2034' };
      const announcement = announcementOf(change, 'Demo', oneKey);
      await store.write((tx) => tx.repository(CardChangeRepository).saveAnnouncement('Demo', announcement, 5));
    };
    const announcementFor = (fingerprint: string) =>
      store.read((tx) => tx.repository(CardChangeReader).findAnnouncement('Demo', fingerprint));

    test.each([[{}], [{ shopperReference: 'ben' }]])('the account updater changes no other card: %j', async (also) => {
      await announce();
      const { detail } = await save({ card: cardOf(otherNumber) }, 'ben');
      await move(detail.recurringDetailReference, fingerprintOf('card'));
      const input = { card: cardOf(cardNumber), ...also };
      await expect(schedule(input)).rejects.toThrow(RowAltered);
      expect(altered).toHaveLength(1);
      // The control: the other card is replaced.
      expect(await schedule(input, unchecked)).toBe('PANChanged');
      const shopper = await unchecked.write((tx) =>
        tx.repository(DetailRepository).findShopper({ ...anna, shopperReference: 'ben' }),
      );
      expect(shopper?.details[0]?.publicData.card?.number).toBe(newNumber.slice(-4));
    });
    test('an announcement is found by the number of a detail, whatever fingerprint is stored', async () => {
      await announce();
      const { detail } = await save({ card: cardOf(otherNumber) });
      const { recurringDetailReference } = detail;
      await move(recurringDetailReference, fingerprintOf('card'));
      const input = { shopperReference: 'anna', selectedRecurringDetailReference: recurringDetailReference };
      expect(await schedule(input)).toBe('NoChange');
      // The control: the stored fingerprint leads to the announcement of the other card.
      expect(await announcementFor(fingerprintOf('card'))).toMatchObject({ status: 'replaced' });
    });
    test('a rotation of the index key corrects a moved fingerprint, and moves no announcement with it', async () => {
      await announce();
      const { detail } = await save({ card: cardOf(otherNumber) });
      await move(detail.recurringDetailReference, fingerprintOf('card'));
      expect(await reindex(store, createReindexers(tables, twoKeys), () => {})).toMatchObject({ changed: 1 });
      const right = twoKeys.fingerprint('Demo', cardIdentity(otherNumber));
      const found = await store.write((tx) => tx.repository(DetailRepository).findShopper(anna));
      expect(found?.details[0]?.fingerprint).toBe(right);
      expect(await announcementFor(right)).toBeUndefined();
      expect(await announcementFor(fingerprintOf('card'))).toBeDefined();
    });
    test('keys verify-rows finds every fingerprint that is not that of its row, under either index key', async () => {
      for (const [at, each] of [...Object.values(searches), ...Object.values(others)].entries())
        await save(each, `shopper-${at}`);
      const registry = createRegistry(engine, pepper, { now: () => 1 });
      await registry.saveBalancePlatform({ id: 'P1', company: 'Demo', status: 'Active', timeZone: 'UTC' });
      const secrets = sealCard('P1', 'PI1', { number: cardNumber } as IssuedCard, oneKey);
      await store.write(async (tx) => {
        const add = (kind: unknown, id: string, record: object, sealed = {}) =>
          tx.repository(ResourceRepository).addResource({
            ...{ kind: kind as ResourceKind, platform: 'P1', revision: 1 },
            ...{ record: { id, status: 'active', ...record } as never, ...sealed },
          });
        await add(accountHolders, 'AH1', {});
        await add(balanceAccounts, 'BA1', { accountHolderId: 'AH1' });
        await add(paymentInstruments, 'PI1', { type: 'card', balanceAccountId: 'BA1' }, secrets);
      });
      const find = async (keys = twoKeys) =>
        (await findWrongFingerprints(store, createReindexers(tables, keys), 100)).map(
          ({ table, id }) => `${table} ${id}`,
        );
      for (const keys of [oneKey, twoKeys]) expect(await find(keys)).toEqual([]);
      // The control: under another index key alone, all are wrong.
      expect(await find(createVault(parseKeyRing(`${rest}index:${newer}`)))).toHaveLength(7);
      await move('DETAIL0000000001', 'lost');
      await move('DETAIL0000000005', fingerprintOf('bank account'));
      expect(await find()).toEqual(['stored_detail DETAIL0000000001', 'stored_detail DETAIL0000000005']);
      await engine.write((session) => session.execute(loseNumber, []));
      expect((await find()).slice(2)).toEqual(['payment_instrument PI1']);
      // A rotation of the index key computes them anew.
      await reindex(store, createReindexers(tables, twoKeys), () => {});
      expect(await find()).toEqual([]);
    });
  });
}
