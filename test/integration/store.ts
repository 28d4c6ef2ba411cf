/** What every engine owes the repositories: run by each engine's own test over fresh databases. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ShopperKey } from '../../src/payments/recurring/details.ts';
import { DetailReader, DetailRepository, ReferenceTaken } from '../../src/payments/recurring/store/repository.ts';
import { type Engine, statement, type TransactionSession } from '../../src/stores/sql/engine.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import { type ForwardingStore, sqlStore } from '../simulation/forwarding.ts';
import { firstMigrations, migrate, owners } from '../support/migrated.ts';
import { describeAuditCopy } from './audit-copy.ts';
import { describeAuditLog } from './audit-log.ts';
import { describeGathering } from './batch.ts';
import { describeCallerRecords } from './caller-records.ts';
import { sqlCallers } from './caller-stores.ts';
import { describeCardChanges } from './card-changes.ts';
import { describeCredentials } from './credentials.ts';
import { describeDeprecations } from './deprecations.ts';
import { describeErasure } from './erasure.ts';
import { describeExpiredRecords } from './expired-records.ts';
import { describeForwarding, type ForwardingStores } from './forwarding.ts';
import { describeJournal } from './idempotency-records.ts';
import { describeIndexRotation } from './index-rotation.ts';
import { describeInspection } from './inspection.ts';
import { describeJobs } from './jobs.ts';
import { describeKeyRotation } from './key-rotation.ts';
import { describeLifecycles } from './lifecycles.ts';
import { describeLimitCounts } from './limit-counts.ts';
import { describeMovedFingerprints } from './moved-fingerprints.ts';
import { describeOwners } from './owners.ts';
import { describePlatformNotices } from './platform-events.ts';
import { describePlatforms } from './platforms.ts';
import { describeRemovedAuditLog } from './removed-audit-log.ts';
import { describeRetention } from './retention.ts';
import { describeRowIntegrity } from './row-integrity.ts';
import { anna, anyInstrument, cardNumber, furnish, sampleDetail, vault } from './samples.ts';
import { describeStackTraces } from './stack-traces.ts';
import { describeUpgrade } from './upgrade.ts';
import { describeWebhooks } from './webhooks.ts';

/** Opens an engine over a database of its own, and removes both again. */
export interface EngineFactory {
  /** With all tables and no rows. */
  open(): Promise<Engine>;
  /** Without tables. */
  openEmpty(): Promise<Engine>;
  dispose(engine: Engine): Promise<void>;
  /** After the last test. */
  close?(): Promise<void>;
  /** Rules that are the same on each engine are tried with a few cases, since another engine has them all. */
  readonly hasFewCases?: boolean;
}

/** `isShort`: the suites of the engine, without those of services and of operators. */
export function describeStore(name: string, factory: EngineFactory, isShort = false): void {
  describe(name, () => {
    afterAll(() => factory.close?.());
    describeMigrations(factory);
    describeDetails(factory);
    describeUnits(factory);
    describeLimitCounts(factory);
    describeJournal(factory);
    describeForwarding(sqlStores(factory));
    describeJobs(factory);
    describeGathering(factory);
    if (isShort) return;
    describeUpgrade(factory);
    describeCardChanges(factory);
    describeStackTraces(factory);
    describeCredentials(factory);
    describeCallerRecords(factory);
    describeOwners(sqlCallers(factory));
    describeDeprecations(factory);
    describeAuditLog(factory);
    describeRemovedAuditLog(factory);
    describeAuditCopy(factory);
    describeRetention(factory);
    describeErasure(factory);
    describeExpiredRecords(factory);
    describeInspection(factory);
    describeKeyRotation(factory);
    describeIndexRotation(factory);
    describeRowIntegrity(factory);
    describeMovedFingerprints(factory);
    describeWebhooks(factory);
    describePlatforms(factory);
    describePlatformNotices(factory);
    describeLifecycles(factory);
  });
}

function sqlStores({ open, dispose }: EngineFactory): ForwardingStores {
  const engines = new Map<ForwardingStore, Engine>();
  return {
    async open() {
      const engine = await open();
      const store = sqlStore(engine);
      engines.set(store, engine);
      return store;
    },
    dispose: (store) => dispose(engines.get(store)!),
  };
}

function describeMigrations({ openEmpty, dispose }: EngineFactory): void {
  describe('migrations', () => {
    let engine: Engine;
    beforeEach(async () => {
      engine = await openEmpty();
    });
    afterEach(() => dispose(engine));

    test('land once, in order', async () => {
      expect(await migrate(engine)).toEqual(firstMigrations);
      expect(await migrate(engine)).toEqual([]);
    });
    test('two programs at once do the work once', async () => {
      const landed = await Promise.all([migrate(engine), migrate(engine)]);
      expect(landed.flat()).toEqual(firstMigrations);
    });
    test('a database of a newer program is refused', async () => {
      await migrate(engine, withNext(['create table later (x text)']));
      await expect(migrate(engine)).rejects.toThrow(/start the newer program/);
    });
    test('an edited migration is refused', async () => {
      await migrate(engine);
      const edited = owners.map((owner) => ({ ...owner, tables: owner.tables.slice(1) }));
      await expect(migrate(engine, edited)).rejects.toThrow(/edited after it was applied/);
    });
    test('one that fails leaves nothing of itself or of those before it', async () => {
      await expect(migrate(engine, withNext(['create nonsense']))).rejects.toThrow();
      expect(await migrate(engine)).toEqual(firstMigrations);
    });
  });
}

/** The last owner has one migration more. */
function withNext(statements: readonly string[]): typeof owners {
  return [...owners.slice(0, -1), { ...owners.at(-1)!, upgrades: { ...owners.at(-1)!.upgrades, 2: statements } }];
}

function describeDetails({ open, dispose }: EngineFactory): void {
  describe('shoppers and details', () => {
    let engine: Engine;
    let store: Store;
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
      store = createStore(engine);
    });
    afterEach(() => dispose(engine));
    /** As a tx finds it: whole. */
    const find = (key: ShopperKey) => store.write((tx) => tx.repository(DetailRepository).findShopper(key));
    /** As a list shows it. */
    const references = async (key: ShopperKey) =>
      (await store.read((tx) => tx.repository(DetailReader).findShopper(key)))?.details.map(
        ({ recurringDetailReference }) => recurringDetailReference,
      );

    test('an unknown shopper is undefined, a known one without details has none', async () => {
      expect(await find(anna)).toBeUndefined();
      await store.write((tx) => tx.repository(DetailRepository).saveShopper(anna, { createdAt: 7 }));
      expect(await find(anna)).toEqual({ createdAt: 7, email: undefined, details: [] });
    });
    test('a detail comes back as it was saved, and its secrets open', async () => {
      const detail = sampleDetail('D1');
      await store.write(async (tx) => {
        await tx.repository(DetailRepository).saveShopper(anna, { createdAt: 7, email: 'anna@example.com' });
        await tx.repository(DetailRepository).saveDetail(anna, detail);
        expect((await tx.repository(DetailRepository).findShopper(anna))?.details).toEqual([detail]);
      });
      const shopper = await find(anna);
      expect(shopper).toEqual({ createdAt: 7, email: 'anna@example.com', details: [detail] });
      const scope = { tenant: 'Demo', record: 'D1' };
      expect(vault.open(scope, shopper!.details[0]!.sealed, 'number')).toBe(cardNumber);
    });
    test('a detail without secrets and with one contract', async () => {
      const sealed = vault.seal({ tenant: 'Demo', record: 'D1' }, {});
      const detail = sampleDetail('D1', { contracts: ['PAYOUT'], sealed });
      await save(anna, detail);
      expect((await find(anna))?.details).toEqual([detail]);
    });
    const save = (key: ShopperKey, ...details: ReturnType<typeof sampleDetail>[]) =>
      store.write(async (tx) => {
        await tx.repository(DetailRepository).saveShopper(key, { createdAt: 7 });
        for (const detail of details) await tx.repository(DetailRepository).saveDetail(key, detail);
      });

    test('oldest first, ties by reference', async () => {
      const at = (createdAt: number, reference: string) => sampleDetail(reference, { createdAt });
      await save(anna, at(3, 'A'), at(2, 'C'), at(2, 'B'), at(1, 'D'));
      expect(await references(anna)).toEqual(['D', 'B', 'C', 'A']);
    });
    test('at most 100, the oldest', async () => {
      await save(anna, ...Array.from({ length: 105 }, (_, index) => sampleDetail(`D${index}`, { createdAt: index })));
      const found = await references(anna);
      expect(found).toHaveLength(100);
      expect(found?.at(-1)).toBe('D99');
    });
    test('the holders of a card: of one merchant account, with an active detail, oldest first, each with the e-mail', async () => {
      const of = (shopperReference: string, account = {}) => ({ ...anna, shopperReference, ...account });
      const nl = of('nl', { merchantAccount: 'DemoMerchantNL' });
      const other = of('other', { company: 'Other', merchantAccount: 'OtherMerchant' });
      await save(of('second'), sampleDetail('D2', { createdAt: 2 }));
      await save(of('first'), sampleDetail('D1', { createdAt: 1 }), sampleDetail('X', { fingerprint: 'another' }));
      await save(of('gone'), sampleDetail('D3'));
      await save(nl, sampleDetail('D4'));
      await save(other, sampleDetail('D5', { company: 'Other' }));
      await store.write((tx) =>
        tx.repository(DetailRepository).saveShopper(of('first'), { createdAt: 7, email: 'first@example.com' }),
      );
      await store.write((tx) => tx.repository(DetailRepository).disableDetail(of('gone'), 'D3', 9));
      const holders = (account: ShopperKey, fingerprint = vault.fingerprint(account.company, cardNumber)) =>
        store.read((tx) => tx.repository(DetailReader).findHolders(account, { fingerprint, match: anyInstrument }));
      expect(await holders(anna)).toEqual([
        { shopperReference: 'first', createdAt: 1, email: 'first@example.com' },
        { shopperReference: 'second', createdAt: 2, email: undefined },
      ]);
      expect((await holders(nl)).map(({ shopperReference }) => shopperReference)).toEqual(['nl']);
      expect((await holders(other)).map(({ shopperReference }) => shopperReference)).toEqual(['other']);
      expect(await holders(anna, 'unknown')).toEqual([]);
    });
    test('saving a shopper again updates the e-mail and nothing else', async () => {
      const save = (shopper: { createdAt: number; email?: string }) =>
        store.write((tx) => tx.repository(DetailRepository).saveShopper(anna, shopper));
      await save({ createdAt: 7 });
      await save({ createdAt: 8, email: 'a@example.com' });
      await save({ createdAt: 9 });
      expect(await find(anna)).toMatchObject({ createdAt: 7, email: 'a@example.com' });
    });
    test('saving an active detail again replaces it', async () => {
      const later = sampleDetail('D1', { contracts: ['PAYOUT'], fingerprint: 'other' });
      await save(anna, sampleDetail('D1'), later);
      expect((await find(anna))?.details).toEqual([later]);
    });
    test('a disabled detail is gone from the list, and once more is nothing', async () => {
      await save(anna, sampleDetail('D1'), sampleDetail('D2'));
      await store.write((tx) => tx.repository(DetailRepository).disableDetail(anna, 'D1', 9));
      await store.write((tx) => tx.repository(DetailRepository).disableDetail(anna, 'D1', 10));
      expect(await references(anna)).toEqual(['D2']);
      await store.write((tx) => tx.repository(DetailRepository).disableDetail(anna, 'D2', 11));
      expect(await references(anna)).toEqual([]);
    });
    describe('the same detail of a shopper', () => {
      const findSame = (fingerprint: string, recurringDetailReference?: string, key = anna) =>
        store.write((tx) =>
          tx
            .repository(DetailRepository)
            .findSame(key, { fingerprint, recurringDetailReference, match: anyInstrument }),
        );
      const of = (reference: string, fingerprint: string, createdAt: number) =>
        sampleDetail(reference, { fingerprint, createdAt });
      beforeEach(async () => {
        await save(anna, of('C', 'f2', 3), of('B', 'f1', 2), of('A', 'f1', 2), of('D', 'f1', 1));
        await save({ ...anna, shopperReference: 'ben' }, of('E', 'f3', 1));
        await store.write((tx) => tx.repository(DetailRepository).disableDetail(anna, 'D', 9));
      });

      test('is found by its fingerprint or its reference: the oldest, ties by reference', async () => {
        const { sealed: _, ...same } = of('A', 'f1', 2);
        expect(await findSame('f1')).toEqual({ active: 3, same });
        expect(await findSame('f2', 'A')).toEqual({ active: 3, same });
        expect((await findSame('f2', 'unknown')).same?.recurringDetailReference).toBe('C');
        expect((await findSame('unknown', 'B')).same?.recurringDetailReference).toBe('B');
      });
      test('is none that is disabled or that another shopper holds', async () => {
        expect(await findSame('f3', 'D')).toEqual({ active: 3 });
        expect(await findSame('f1', 'A', { ...anna, shopperReference: 'carl' })).toEqual({ active: 0 });
      });
    });
    test('the reference of a disabled detail, or of another shopper, is not taken over; the tx goes on', async () => {
      const ben = { ...anna, shopperReference: 'ben' };
      await save(anna, sampleDetail('D1'), sampleDetail('D2'));
      await store.write((tx) => tx.repository(DetailRepository).disableDetail(anna, 'D1', 9));
      await store.write(async (tx) => {
        await tx.repository(DetailRepository).saveShopper(ben, { createdAt: 7 });
        await expect(tx.repository(DetailRepository).saveDetail(anna, sampleDetail('D1'))).rejects.toThrow(
          ReferenceTaken,
        );
        await expect(tx.repository(DetailRepository).saveDetail(ben, sampleDetail('D2'))).rejects.toThrow(
          ReferenceTaken,
        );
        await tx.repository(DetailRepository).saveDetail(ben, sampleDetail('D3'));
      });
      expect(await references(anna)).toEqual(['D2']);
      expect(await references(ben)).toEqual(['D3']);
    });
    test('the same shopper reference in another merchant account is another shopper', async () => {
      const elsewhere: ShopperKey[] = [
        { ...anna, merchantAccount: 'DemoMerchantNL' },
        { company: 'Other', merchantAccount: 'OtherMerchant', shopperReference: 'anna' },
      ];
      await save(anna, sampleDetail('D1'));
      await save(elsewhere[0]!, sampleDetail('D2'));
      await save(elsewhere[1]!, sampleDetail('D1', { company: 'Other' }));
      for (const key of elsewhere)
        await store.write((tx) => tx.repository(DetailRepository).disableDetail(key, 'D1', 9));
      expect(await references(anna)).toEqual(['D1']);
      expect(await references(elsewhere[0]!)).toEqual(['D2']);
      expect(await references(elsewhere[1]!)).toEqual([]);
    });
    test('a company cannot write under the merchant account of another', async () => {
      const strange = { ...anna, merchantAccount: 'OtherMerchant' };
      await expect(save(strange, sampleDetail('D1'))).rejects.toThrow();
      expect(await find(strange)).toBeUndefined();
    });
    test('hostile texts are texts', async () => {
      const hostile = `'; drop table shopper; -- $1 ? " \\ 😀`;
      const key = { ...anna, shopperReference: hostile };
      await save(key, sampleDetail(hostile));
      expect(await references(key)).toEqual([hostile]);
    });
    test('progress commits with the rows and rolls back with them', async () => {
      expect(await store.read((tx) => tx.importProgress.find('f00d'))).toBe(0);
      await store.write((tx) => tx.importProgress.save('f00d', 500, 1));
      const broken = store.write(async (tx) => {
        await tx.importProgress.save('f00d', 1_000, 2);
        throw new Error('row 999 is bad');
      });
      await expect(broken).rejects.toThrow('row 999 is bad');
      expect(await store.read((tx) => tx.importProgress.find('f00d'))).toBe(500);
      await store.write((tx) => tx.importProgress.save('f00d', 1_000, 3));
      expect(await store.read((tx) => tx.importProgress.find('f00d'))).toBe(1_000);
    });
  });
}

function describeUnits({ open, dispose }: EngineFactory): void {
  describe('units of work', () => {
    let engine: Engine;
    beforeEach(async () => {
      engine = await open();
      await engine.write((session) =>
        session.execute(statement('make', 'create table number (n bigint not null)'), []),
      );
      await engine.write((session) => session.execute(statement('zero', 'insert into number (n) values (0)'), []));
    });
    afterEach(() => dispose(engine));
    const select = statement<{ readonly n: number }>('select', 'select n from number');
    const update = statement('update', 'update number set n = $1');
    const insert = statement('insert', 'insert into number (n) values ($1)');
    const raise = statement('raise', 'update number set n = n + 1 where n = $1');
    const values = () =>
      engine.read(async (session) =>
        (await session.query(statement<{ readonly n: number }>('all', 'select n from number order by n'), [])).map(
          ({ n }) => n,
        ),
      );
    const value = () => engine.read(async (session) => (await session.query(select, []))[0]?.n);

    test('do not see into one another, however long they wait', async () => {
      const add = () =>
        engine.write(async (session) => {
          const [row] = await session.query(select, []);
          await new Promise((resolve) => setTimeout(resolve, 2));
          await session.execute(update, [row!.n + 1]);
        });
      await Promise.all(Array.from({ length: 20 }, add));
      expect(await value()).toBe(20);
    });
    test('one that throws leaves nothing, and the next one runs', async () => {
      const broken = engine.write(async (session) => {
        await session.execute(update, [5]);
        throw new Error('no');
      });
      const next = engine.write(async (session) => (await session.query(select, []))[0]?.n);
      await expect(broken).rejects.toThrow('no');
      expect(await next).toBe(0);
    });
    test('a reader does not see what is not committed', async () => {
      await engine.write(async (session) => {
        await session.execute(update, [5]);
        expect(await value()).toBe(0);
      });
      expect(await value()).toBe(5);
    });
    test('parameters may repeat and stand in any order', async () => {
      const sum = statement<{ readonly s: string }>('order', "select $2 || '-' || $1 || '-' || $2 as s");
      expect(await engine.read((session) => session.query(sum, ['a', 'b']))).toEqual([
        expect.objectContaining({ s: 'b-a-b' }),
      ]);
    });
    test('a statement after the end of its tx is refused', async () => {
      const session = await engine.write(async (session) => session);
      await expect(session.execute(update, [9])).rejects.toThrow('the transaction has ended');
      expect(await value()).toBe(0);
    });
    test('writing through the reader is refused', async () => {
      await expect(engine.read((session) => session.execute(update, [9]))).rejects.toThrow();
      expect(await value()).toBe(0);
    });
    test('an attempt that throws is undone alone, and the tx goes on', async () => {
      await engine.write(async (session) => {
        await session.execute(update, [1]);
        const attempt = session.savepoint(async () => {
          await session.execute(update, [2]);
          throw new Error('not this');
        });
        await expect(attempt).rejects.toThrow('not this');
        expect((await session.query(select, []))[0]?.n).toBe(1);
        await session.execute(insert, [3]);
      });
      expect(await values()).toEqual([1, 3]);
    });
    test('an attempt that the database refuses is undone alone as well, and another one follows', async () => {
      await engine.write(async (session) => {
        const attempt = session.savepoint(async () => {
          await session.execute(insert, [2]);
          await session.execute(insert, [null]);
        });
        await expect(attempt).rejects.toThrow(/null/i);
        expect(await session.savepoint(() => session.execute(insert, [3]))).toBe(1);
      });
      expect(await values()).toEqual([0, 3]);
    });
    test('a deferred statement is part of its transaction, and undoes it where it fails', async () => {
      await engine.write((session) => session.executeDeferred(insert, [1]));
      for (const after of [async () => 0, (session: TransactionSession) => session.execute(insert, [3])])
        await expect(
          engine.write(async (session) => {
            await session.execute(insert, [2]);
            await session.executeDeferred(insert, [null]);
            await after(session);
          }),
        ).rejects.toThrow(/null/i);
      expect(await values()).toEqual([0, 1]);
    });
    test('a deferred statement that fails within a savepoint is rolled back with it', async () => {
      await engine.write(async (session) => {
        const attempt = session.savepoint(async () => {
          await session.executeDeferred(insert, [1]);
          await session.executeDeferred(insert, [null]);
          throw new Error('null');
        });
        await expect(attempt).rejects.toThrow(/null/i);
        await session.executeDeferred(insert, [2]);
        expect(await session.execute(insert, [3])).toBe(1);
      });
      expect(await values()).toEqual([0, 2, 3]);
    });
    describe('a deferred statement that must write a row', () => {
      const write = (n: number, work: (session: TransactionSession) => Promise<unknown> = async () => {}) =>
        engine.write(async (session) => {
          await session.execute(insert, [2]);
          await session.executeDeferred(raise, [n], () => new Error('no row'));
          await work(session);
        });

      test('is part of its transaction where it writes one', async () => {
        await write(0);
        expect(await values()).toEqual([1, 2]);
      });
      test.each<[string, (session: TransactionSession) => Promise<unknown>]>([
        ['nothing else', async () => {}],
        ['another statement', (session) => session.execute(insert, [3])],
        ['a statement within a savepoint', (session) => session.savepoint(() => session.execute(insert, [3]))],
        ['work that throws', () => Promise.reject(new Error('other'))],
        ['a failed statement', (session) => session.execute(insert, [null])],
      ])('fails the transaction where it writes none, with %s behind it', async (_, work) => {
        let isReached = false;
        const caught = async (session: TransactionSession): Promise<void> => {
          await work(session);
          isReached = true;
        };
        await expect(write(9, caught)).rejects.toThrow('no row');
        expect(isReached && work.length > 0).toBe(false);
        expect(await values()).toEqual([0]);
      });
      test('fails it, too, where the work makes light of it', async () => {
        const broken = engine.write(async (session) => {
          const deferred = session.executeDeferred(raise, [9], () => new Error('no row'));
          await deferred.catch(() => {});
          await session.savepoint(() => session.execute(insert, [3])).catch(() => {});
          await session.execute(insert, [3]).catch(() => {});
        });
        await expect(broken).rejects.toThrow('no row');
        expect(await values()).toEqual([0]);
      });
    });
    test('a savepoint that succeeds commits with its transaction and rolls back with it', async () => {
      await engine.write((session) => session.savepoint(() => session.execute(insert, [1])));
      const broken = engine.write(async (session) => {
        await session.savepoint(() => session.execute(insert, [2]));
        throw new Error('no');
      });
      await expect(broken).rejects.toThrow('no');
      expect(await values()).toEqual([0, 1]);
    });
    test('an attempt after the end of its tx is refused', async () => {
      const session = await engine.write(async (session) => session);
      await expect(session.savepoint(async () => {})).rejects.toThrow('the transaction has ended');
    });
    test('waiting units leave the event loop its turns', async () => {
      let turns = 0;
      let ticking: NodeJS.Immediate;
      const tick = () => {
        turns += 1;
        ticking = setImmediate(tick);
      };
      tick();
      const write = (n: number) => engine.write((session) => session.execute(update, [n]));
      // On a busy machine some do not get a connection in time.
      await Promise.allSettled(Array.from({ length: 200 }, (_, n) => write(n)));
      clearImmediate(ticking!);
      // A group on SQLite leaves a turn after every fourth transaction.
      expect(turns).toBeGreaterThan(25);
    });
    test('closing waits for the units begun, and refuses later ones', async () => {
      const begun = engine.write((session) => session.execute(update, [3]));
      await engine.close();
      expect(await begun).toBe(1);
      await expect(engine.write(async () => {})).rejects.toMatchObject({ name: 'StoreUnavailable' });
      await expect(engine.read(async () => {})).rejects.toMatchObject({ name: 'StoreUnavailable' });
    });
  });
}
