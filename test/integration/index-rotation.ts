/** Rotation of the index key on every engine: a request has its effect once, and every card is found, at each step. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Caller, CanonicalRequest } from '../../src/core/contract/canonical.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import { createIdempotentExecutor, type ExecuteIdempotently } from '../../src/core/idempotency/execute-idempotently.ts';
import { executorOf } from '../../src/core/idempotency/executor.ts';
import {
  LockTimeout,
  OutcomeUnknown,
  type RemoteHandler,
  type RequestHasher,
} from '../../src/core/idempotency/ports.ts';
import { createRequestHasher } from '../../src/core/idempotency/request-hash.ts';
import { type KeyRing, parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import { announcementOf } from '../../src/payments/recurring/account-updater/announced-changes.ts';
import {
  CardChangeReader,
  CardChangeRepository,
} from '../../src/payments/recurring/account-updater/store/card-changes.ts';
import { cardIdentity, identityOf } from '../../src/payments/recurring/instrument.ts';
import { matchInstrument } from '../../src/payments/recurring/match-instrument.ts';
import { type NewDetail, saveDetail } from '../../src/payments/recurring/save-detail.ts';
import { DetailReader, DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { createReindexers, reindex } from '../../src/stores/reindex.ts';
import { RowIntegrity } from '../../src/stores/row-integrity.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { findUnaliasedRecords } from '../../src/stores/sql/idempotency-records.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import type { ReadTransaction, Transaction } from '../../src/stores/transaction.ts';
import { countedIds } from '../support/fixture.ts';
import { tables } from '../support/migrated.ts';
import { anna, cardNumber, furnish } from './samples.ts';
import type { EngineFactory } from './store.ts';

const o = 'aa'.repeat(32);
const n = 'bb'.repeat(32);
const rest = `k-1:${'11'.repeat(32)}\npepper:${'33'.repeat(32)}\n`;
/** The keys of a server at each step. */
const steps: readonly KeyRing[] = [
  parseKeyRing(`${rest}index:${o}`),
  parseKeyRing(`${rest}index:${o}\nindex-next:${n}`),
  parseKeyRing(`${rest}index:${n}\nindex-old:${o}`),
  parseKeyRing(`${rest}index:${n}`),
];

const caller: Caller = { credential: 'c', tenant: 'Demo', roles: new Set(), grants: new Map(), requiresKey: false };
const effects = statement<{ readonly source: string }>('test-effects', 'select source from import_progress');

const hasherOf = ({ index, otherIndex }: KeyRing) => createRequestHasher(index, 'test', otherIndex?.key);
/** The control: a server that searches under one key. */
const withoutOther = (ring: KeyRing): RequestHasher => ({ ...hasherOf(ring), other: undefined });

export function describeIndexRotation({ open, dispose }: EngineFactory): void {
  describe('rotation of the index key', () => {
    let engine: Engine;
    let store: Store;
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
      // Fingerprints of either key are compared with what has a MAC.
      const integrity = new RowIntegrity();
      integrity.use({ inner: '44'.repeat(32), outer: '55'.repeat(32) });
      store = createStore(engine, { shared: [integrity] });
    });
    afterEach(() => dispose(engine));

    let references = 0;
    const requestOf = (key: string) =>
      ({
        service: recurringV25,
        operation: recurringV25.operations.get('disable')!,
        input: { merchantAccount: 'DemoMerchant', shopperReference: key },
        caller,
        requestReference: String(++references).padStart(16, '0'),
        key,
      }) as CanonicalRequest;

    type Executor = ExecuteIdempotently<ReadTransaction & Transaction, object>;
    const executeBy = (hasher: RequestHasher): Executor =>
      createIdempotentExecutor<ReadTransaction & Transaction, object>({
        store: store as never,
        hasher,
        context: {},
        wait: async () => undefined,
      });

    const local = {
      kind: 'plain' as const,
      handle: async ({ key, requestReference }: CanonicalRequest, tx: Transaction) => {
        await tx.importProgress.save(`${key} ${requestReference}`, 1, 1);
        return { response: '[detail-successfully-disabled]' };
      },
    };
    /** The keys that another server has seen; it deduplicates by them. */
    const seen = new Set<string>();
    let asked = 0;
    const remote: RemoteHandler<object> = {
      kind: 'remote',
      upstream: 'other',
      deduplicates: true,
      msMax: 1_000,
      forward: async ({ key }, _, upstreamKey) => {
        seen.add(`${key} ${upstreamKey}`);
        // Its answer is lost now and then, so that a retry asks again.
        if (++asked % 3 === 0) throw new OutcomeUnknown('lost');
        return { output: { response: '[detail-successfully-disabled]' } };
      },
    };

    /** Two servers at a time, as in a rolling restart; each key is used by both at once, and again at later steps. */
    const roll = async (hashers: readonly RequestHasher[], handler: typeof local | typeof remote) => {
      const executor = executorOf<ReadTransaction & Transaction, object>(handler as never);
      let drawn = 7;
      const random = () => {
        drawn = (drawn * 48_271) % 2_147_483_647;
        return drawn / 2_147_483_647;
      };
      const answers = new Map<string, Set<string>>();
      const pairs = [
        [0, 0],
        [0, 1],
        [1, 1],
        [1, 2],
        [2, 2],
      ];
      for (const [at, pair] of pairs.entries()) {
        const executors = pair.map((step) => executeBy(hashers[step]!));
        for (let round = 0; round < 12; round += 1) {
          const key = `key ${Math.floor(random() * (at + 1))} ${round}`;
          for (let tries = 0; tries < 3; tries += 1) {
            const results = await Promise.allSettled(executors.map((each) => each(requestOf(key), executor)));
            for (const result of results) {
              if (result.status === 'fulfilled')
                answers.set(key, (answers.get(key) ?? new Set()).add(result.value.requestReference));
              else if (!(result.reason instanceof Problem || result.reason instanceof LockTimeout)) throw result.reason;
            }
          }
        }
      }
      return answers;
    };
    const effectsOfKeys = async () => {
      const rows = await engine.read((session) => session.query(effects, []));
      return Map.groupBy(rows, ({ source }) => source.slice(0, source.lastIndexOf(' ')));
    };

    test('each request has its effect once, whichever two servers get it', async () => {
      const answers = await roll(steps.map(hasherOf), local);
      const found = await effectsOfKeys();
      expect(found.size).toBeGreaterThan(20);
      for (const [key, rows] of found) expect([key, rows.length, answers.get(key)?.size]).toEqual([key, 1, 1]);
      // Records from before the rotation need the old key; later ones are found without it.
      expect(Number((await findUnaliasedRecords(engine)).records)).toBeGreaterThan(0);
      const last = executeBy(hasherOf(steps[3]!));
      const later = [...found.keys()].filter((key) => key.startsWith('key 3'));
      expect(later.length).toBeGreaterThan(2);
      const executor = executorOf<ReadTransaction & Transaction, object>(local as never);
      for (const key of later) expect((await last(requestOf(key), executor)).replayed).toBe(true);
    });
    test('control: servers that search under one key repeat effects', async () => {
      await roll(steps.map(withoutOther), local);
      const doubled = [...(await effectsOfKeys()).values()].filter((rows) => rows.length > 1);
      expect(doubled.length).toBeGreaterThan(0);
    });
    test('control: servers that search under one key ask another server under two', async () => {
      seen.clear();
      await roll(steps.map(withoutOther), remote);
      const keys = Map.groupBy(seen, (each) => each.slice(0, each.lastIndexOf(' ')));
      expect([...keys.values()].filter((all) => all.length > 1).length).toBeGreaterThan(0);
    });
    test('a request to another server is repeated under the key that it was sent with', async () => {
      seen.clear();
      const answers = await roll(steps.map(hasherOf), remote);
      const keys = Map.groupBy(seen, (each) => each.slice(0, each.lastIndexOf(' ')));
      expect(keys.size).toBeGreaterThan(20);
      for (const [key, all] of keys) expect([key, all.length]).toEqual([key, 1]);
      for (const [key, found] of answers) expect([key, found.size]).toEqual([key, 1]);
    });

    const contextOf = (ring: KeyRing) => ({ clock: { now: () => 1 }, ids, vault: createVault(ring) });
    const ids = countedIds();
    const save = (ring: KeyRing, detail: Partial<NewDetail>, shopperReference = 'anna') =>
      store.write((tx) =>
        saveDetail(
          { ...anna, shopperReference },
          { contracts: ['RECURRING'], firstPspReference: '8815252013129012', also: {}, ...detail },
          tx.repository(DetailRepository),
          contextOf(ring),
        ),
      );
    const card = { number: cardNumber, expiryMonth: '03', expiryYear: '2031', holderName: 'Anna' };
    const bank = { iban: 'NL13TEST0123456789', countryCode: 'NL', ownerName: 'Anna' };
    const holders = async (ring: KeyRing, searched: Pick<NewDetail, 'card' | 'bank'>) => {
      const found: string[] = [];
      const match = matchInstrument(searched, 'Demo', createVault(ring));
      for (const fingerprint of createVault(ring).fingerprints('Demo', identityOf(searched)))
        for (const each of await store.read((tx) =>
          tx.repository(DetailReader).findHolders(anna, { fingerprint, match }),
        ))
          found.push(each.shopperReference);
      return found.sort();
    };

    test('cards and accounts are found at each step; an interrupted run goes on', async () => {
      const [before, standby, after, alone] = steps as [KeyRing, KeyRing, KeyRing, KeyRing];
      const shoppers = Array.from({ length: 250 }, (_, at) => `shopper-${String(at).padStart(3, '0')}`);
      for (const each of shoppers) await save(before, { card }, each);
      await save(before, { bank }, 'anna');
      const announcement = announcementOf(
        { number: cardNumber, newNumber: '5555444433331111', newExpiryMonth: '08', newExpiryYear: '2034' },
        'Demo',
        createVault(before),
      );
      await store.write((tx) => tx.repository(CardChangeRepository).saveAnnouncement('Demo', announcement, 5));
      for (const ring of [before, standby, after]) expect((await holders(ring, { card })).length).toBe(101);
      expect(await holders(alone, { card })).toEqual([]);
      // The same card again, at each step: it stays one detail.
      for (const ring of [standby, after])
        expect(await save(ring, { card }, 'shopper-000')).toMatchObject({
          kind: expect.stringMatching(/already|updated/),
        });

      const reindexers = createReindexers(tables, createVault(after));
      const interrupted = reindex(store, reindexers, (rows) => {
        if (rows >= 100) throw new Error('killed');
      });
      await expect(interrupted).rejects.toThrow('killed');
      expect(await holders(alone, { card })).not.toEqual([]);
      let changed = 0;
      expect(await reindex(store, reindexers, (rows) => (changed = rows))).toMatchObject({ broken: { rows: 0 } });
      expect(changed).toBeGreaterThan(40);
      expect(changed).toBeLessThan(200);
      expect(await reindex(store, reindexers, () => {})).toMatchObject({ changed: 0 });

      expect((await holders(alone, { card })).length).toBe(101);
      expect(await holders(alone, { bank })).toEqual(['anna']);
      expect(await holders(before, { card })).toEqual([]);
      const { detail } = await save(alone, { card }, 'shopper-007');
      expect(detail.publicData.alias).toBe(createVault(alone).alias('Demo', cardNumber));
      const moved = await store.read((tx) =>
        tx
          .repository(CardChangeReader)
          .findAnnouncement('Demo', createVault(alone).fingerprint('Demo', cardIdentity(cardNumber))),
      );
      expect(moved).toMatchObject({ status: 'replaced', expiry: { expiryMonth: '8', expiryYear: '2034' } });
    });
  });
}
