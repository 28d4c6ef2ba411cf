/** Lifecycles over an engine: every state and every move, what a move waits for, and writers in each other's way. */

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ResourceKind, ResourceRecord, StoredResource } from '../../src/payments/balance-platform/resource.ts';
import { ResourceRepository } from '../../src/payments/balance-platform/store/repository.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import type { Store } from '../../src/stores/store.ts';
import { callers } from '../support/fixture.ts';
import { gatewayOver } from '../support/gateway.ts';
import { overrideRepository, overrideWrites } from '../support/override.ts';
import type { ReceivedResponse } from '../support/resources.ts';
import { apis, type Furnished, furnished } from '../support/seeded-platform.ts';
import type { EngineFactory } from './store.ts';

/** Every change of status, with what becomes of it. */
const moves = [...apis].flatMap(([kind, api]) =>
  Object.entries(api.moves).flatMap(([from, row]) =>
    Object.entries(row).map(([to, outcome]) => ({ kind, from, to, outcome })),
  ),
);

const outcomeOf = ({ status, body, headers }: ReceivedResponse, before: string | undefined): string => {
  if (status !== 200) return body.errorCode;
  return headers.ETag === before ? 'stays' : 'moves';
};

/** The defect that the writers have to find: what was read a moment ago is taken for what is there. */
const forgetful = (store: Store): Store => {
  const remembered = new Map<string, { readonly at: number; readonly found: Promise<unknown> }>();
  return overrideWrites(store, (tx) =>
    overrideRepository(tx, ResourceRepository, (resources) => ({
      findResource: <R extends ResourceRecord>(kind: ResourceKind<R>, platform: string, id: string) => {
        const known = remembered.get(id);
        if (known !== undefined && performance.now() - known.at < 20) return known.found as Promise<StoredResource<R>>;
        const found = resources.findResource(kind, platform, id);
        remembered.set(id, { at: performance.now(), found });
        return found;
      },
      async changeResource(resource) {
        const { kind, platform, record } = resource;
        const present = await resources.findResource(kind, platform, record.id);
        await resources.changeResource({ ...resource, revision: present!.revision + 1 });
      },
    })),
  );
};

export function describeLifecycles({ open, dispose }: EngineFactory): void {
  describe('lifecycles', () => {
    let engine: Engine;
    let ask: Furnished;
    beforeEach(async () => {
      engine = await open();
      ask = furnished(await gatewayOver(engine));
    });
    afterEach(() => dispose(engine));

    /** A new one of the kind, with nothing below it. */
    const make = async (kind: string): Promise<string> => (await ask.branch(apis.get(kind)!))[kind]!;
    const move = (kind: string, id: string, status: string) => ask.patch(`${apis.get(kind)!.path}/${id}`, { status });

    test('every state and every move', async () => {
      const found: typeof moves = [];
      for (const { kind, from, to } of moves) {
        const id = await make(kind);
        await ask.force(kind, id, { status: from });
        const { headers, body } = await ask.get(`${apis.get(kind)!.path}/${id}`);
        const response = await move(kind, id, to);
        const outcome = outcomeOf(response, headers.ETag);
        found.push({ kind, from, to, outcome });
        const after = (await ask.get(`${apis.get(kind)!.path}/${id}`)).body;
        expect(after).toEqual({ ...body, status: outcome === 'moves' ? to : from });
        if (outcome === '30_201') expect(response.body.detail).toBe(`The status cannot go from ${from} to ${to}`);
      }
      expect(found).toEqual(moves);
    });

    test.each(['inactive', 'active', 'suspended', 'closed'])('a cancelled instrument that was %s', async (status) => {
      const id = await make('paymentInstrument');
      await ask.force('paymentInstrument', id, { status });
      const cancelled = await ask.post(`/paymentInstruments/${id}/cancel`, { statusReason: 'lost' });
      if (status === 'closed') expect(cancelled.body).toMatchObject({ status: 422, errorCode: '30_209' });
      else expect(cancelled.body).toMatchObject({ id, status: 'closed', statusReason: 'lost' });
      expect((await ask.post(`/paymentInstruments/${id}/cancel`)).body.errorCode).toBe('30_209');
      expect((await move('paymentInstrument', id, 'active')).body.errorCode).toBe('30_209');
    });

    test('closing goes from below upwards: instruments, account, holder', async () => {
      const holder = await ask.holder();
      const account = await ask.account(holder);
      const instrument = await ask.instrument(account);
      expect((await move('accountHolder', holder, 'closed')).body.errorCode).toBe('30_203');
      expect((await move('balanceAccount', account, 'closed')).body.errorCode).toBe('30_204');
      expect((await ask.post(`/paymentInstruments/${instrument}/cancel`)).status).toBe(200);
      await ask.force('balanceAccount', account, {
        balances: [{ available: 1, balance: 1, currency: 'EUR', reserved: 0 }],
      });
      expect((await move('balanceAccount', account, 'closed')).body.errorCode).toBe('30_205');
      await ask.force('balanceAccount', account, {
        balances: [{ available: 0, balance: 0, currency: 'EUR', reserved: 0 }],
      });
      expect((await move('balanceAccount', account, 'closed')).status).toBe(200);
      expect((await ask.get(`/accountHolders/${holder}`)).body).not.toHaveProperty('primaryBalanceAccount');
      expect((await move('accountHolder', holder, 'closed')).status).toBe(200);
    });

    test.each([
      ['balanceAccount', 'suspended', '30_004'],
      ['balanceAccount', 'inactive', '30_004'],
      ['balanceAccount', 'closed', '30_005'],
      ['accountHolder', 'suspended', '30_202'],
      ['accountHolder', 'closed', '30_208'],
    ] as const)('under a %s that is %s, nothing comes to be or to work', async (kind, status, code) => {
      const holder = await ask.holder();
      const other = await ask.holder();
      const account = await ask.account(holder);
      const elsewhere = await ask.account(other);
      const waiting = await ask.instrument(account, { status: 'inactive' });
      const suspended = await ask.instrument(account);
      const stranger = await ask.instrument(elsewhere, { status: 'inactive' });
      await move('paymentInstrument', suspended, 'suspended');
      await ask.force(kind, kind === 'accountHolder' ? holder : account, { status });
      const card = { type: 'bankAccount', issuingCountryCode: 'NL', balanceAccountId: account };
      const refused = [
        await ask.post('/paymentInstruments', card),
        await move('paymentInstrument', waiting, 'active'),
        await move('paymentInstrument', suspended, 'active'),
        await ask.patch(`/paymentInstruments/${stranger}`, { balanceAccountId: account }),
      ];
      if (kind === 'accountHolder') {
        await ask.force('balanceAccount', account, { status: 'suspended' });
        refused.push(
          await ask.post('/balanceAccounts', { accountHolderId: holder }),
          await move('balanceAccount', account, 'active'),
          await ask.patch(`/balanceAccounts/${elsewhere}`, { accountHolderId: holder }),
        );
      }
      // With its account suspended, an instrument hears of the account first; the holder's is the second word.
      expect(refused.map(({ body }) => body.errorCode)).toEqual(refused.map(() => code));
      for (const id of [waiting, suspended])
        expect((await ask.post(`/paymentInstruments/${id}/cancel`)).status).toBe(200);
    });

    test('an instrument changes its account and its card only while it is inactive', async () => {
      const holder = await ask.holder();
      const [one, two] = [await ask.account(holder), await ask.account(holder)];
      const id = await ask.instrument(one, { status: 'inactive' });
      const path = `/paymentInstruments/${id}`;
      const card = { brand: 'visa', brandVariant: 'visadebit', formFactor: 'virtual', cardholderName: 'Bob' };
      const moved = await ask.patch(path, { balanceAccountId: two, card });
      expect(moved.body).toMatchObject({ balanceAccountId: two, card: { cardholderName: 'Bob' } });
      expect((await ask.get(`/balanceAccounts/${one}/paymentInstruments`)).body.paymentInstruments).toEqual([]);
      for (const change of [{ brandVariant: 'visaprepaid' }, { formFactor: 'physical' }])
        expect((await ask.patch(path, { card: { ...card, ...change } })).body.invalidFields).toMatchObject([
          { name: `card.${Object.keys(change)[0]}` },
        ]);
      expect((await ask.patch(path, { status: 'active', balanceAccountId: one })).body.balanceAccountId).toBe(one);
      expect((await ask.patch(path, { balanceAccountId: two })).body).toMatchObject({
        status: 422,
        errorCode: '30_031',
        title: 'Invalid Payment Instrument information provided',
        detail: 'The balanceAccountId can only be changed when the status is Inactive or Requested',
      });
      expect((await ask.patch(path, { card: { ...card, cardholderName: 'Eve' } })).body.errorCode).toBe('30_206');
      expect((await ask.patch(path, { card, balanceAccountId: one })).headers.ETag).toBe('"3"');
    });

    test('a replacement names the old one and is named by it, which closes when the new one works', async () => {
      const account = await ask.account(await ask.holder());
      const old = await ask.instrument(account);
      const replace = (also: object = {}) =>
        ask.post('/paymentInstruments', {
          type: 'card',
          issuingCountryCode: 'NL',
          balanceAccountId: account,
          card: { brand: 'mc', brandVariant: 'mcdebit', cardholderName: 'Anna', formFactor: 'physical' },
          replacementOfId: old,
          ...also,
        });
      const instrument = async (id: string) => (await ask.get(`/paymentInstruments/${id}`)).body;
      const first = (await replace({ status: 'inactive' })).body;
      expect(first).toMatchObject({ replacementOfId: old, status: 'inactive' });
      expect(await instrument(old)).toMatchObject({ replacedById: first.id, status: 'active' });
      expect((await replace()).body.errorCode).toBe('30_207');
      await ask.post(`/paymentInstruments/${first.id}/cancel`);
      const second = (await replace({ status: 'inactive' })).body;
      expect(await instrument(old)).toMatchObject({ replacedById: second.id, status: 'active' });
      await move('paymentInstrument', second.id, 'active');
      expect(await instrument(old)).toMatchObject({
        replacedById: second.id,
        status: 'closed',
        statusReason: 'other',
        statusComment: `Replaced by ${second.id}`,
      });
      expect((await replace()).body.errorCode).toBe('30_207');
      const at = await ask.instrument(account);
      const once = (await replace({ replacementOfId: at })).body;
      expect(await instrument(at)).toMatchObject({ replacedById: once.id, status: 'closed' });
      const bank = { type: 'bankAccount', card: undefined, replacementOfId: once.id };
      expect((await replace(bank)).body.invalidFields).toMatchObject([{ name: 'replacementOfId' }]);
    });

    test('a lost card that was cancelled can be replaced, and keeps its reason', async () => {
      const account = await ask.account(await ask.holder());
      const old = await ask.instrument(account);
      await ask.post(`/paymentInstruments/${old}/cancel`, { statusReason: 'lost' });
      const id = await ask.instrument(account, { replacementOfId: old });
      expect((await ask.get(`/paymentInstruments/${old}`)).body).toMatchObject({
        replacedById: id,
        status: 'closed',
        statusReason: 'lost',
      });
    });

    test('the reason of a status goes with the status', async () => {
      const path = `/paymentInstruments/${await make('paymentInstrument')}`;
      const suspended = await ask.patch(path, { status: 'suspended', statusReason: 'other', statusComment: 'why' });
      expect(suspended.body).toMatchObject({ statusReason: 'other', statusComment: 'why' });
      const active = (await ask.patch(path, { status: 'active' })).body;
      expect([active.statusReason, active.statusComment]).toEqual([undefined, undefined]);
      expect((await ask.patch(path, { statusReason: 'other' })).body.invalidFields).toMatchObject([
        { name: 'statusComment' },
      ]);
    });

    test('the primary account is the first one, moves with a choice, and never is a closed one', async () => {
      const [holder, other] = [await ask.holder(), await ask.holder()];
      const primary = async (id = holder) => (await ask.get(`/accountHolders/${id}`)).body.primaryBalanceAccount;
      const [one, two] = [await ask.account(holder), await ask.account(holder)];
      const foreign = await ask.account(other);
      expect(await primary()).toBe(one);
      await ask.patch(`/accountHolders/${holder}`, { primaryBalanceAccount: two });
      expect(await primary()).toBe(two);
      for (const id of [foreign, 'BA0'])
        expect((await ask.patch(`/accountHolders/${holder}`, { primaryBalanceAccount: id })).body).toMatchObject({
          status: 422,
          invalidFields: [{ name: 'primaryBalanceAccount' }],
        });
      await move('balanceAccount', two, 'closed');
      expect(await primary()).toBe(one);
      await ask.patch(`/balanceAccounts/${one}`, { accountHolderId: other });
      expect([await primary(), await primary(other)]).toEqual([undefined, foreign]);
    });

    describe('32 writers at once', () => {
      const writers = 32;
      const all = <T>(work: (n: number) => Promise<T>) =>
        Promise.all(Array.from({ length: writers }, (_, n) => work(n)));
      /** A store that is asked too much says so, and nothing was done then. */
      const isSound = ({ status }: ReceivedResponse) => status === 200 || status === 422 || status === 503;

      /** Moves one resource from all sides; gives the moves that were accepted and are none of the lifecycle's. */
      const illegalMoves = async (kind: string, by: Furnished): Promise<readonly string[]> => {
        const id = (await by.branch(apis.get(kind)!))[kind];
        const path = `${apis.get(kind)!.path}/${id}`;
        const legal = apis.get(kind)!.moves;
        const states = Object.keys(legal).filter((status) => status !== 'closed');
        const accepted: (readonly [revision: number, status: string])[] = [[1, 'active']];
        const go = async (status: string) => {
          const response = await by.patch(path, { status });
          expect(isSound(response)).toBe(true);
          if (response.status === 200)
            accepted.push([Number(response.headers.ETag!.slice(1, -1)), response.body.status]);
        };
        await all(async (n) => {
          for (let round = 0; round < 4; round += 1) await go(states[(n + round) % states.length]!);
          if (n === 17) await go('closed');
        });
        const history = new Map(accepted.toSorted(([a], [b]) => a - b));
        const steps = [...history].map(([revision, to]) => ({ revision, from: history.get(revision - 1), to }));
        return [
          ...steps.flatMap(({ revision, from, to }) =>
            revision === 1 || (from !== undefined && legal[from]![to] === 'moves')
              ? []
              : `${revision}: ${from} to ${to}`,
          ),
          ...accepted.flatMap(([revision, to]) => (history.get(revision) === to ? [] : `${revision}: twice`)),
          ...(steps.at(-1)!.to === 'closed' ? [] : ['closed, and moved on']),
        ];
      };

      test.each(['accountHolder', 'paymentInstrument'] as const)(
        'all accepted moves of a %s were legal',
        async (kind) => {
          expect(await illegalMoves(kind, ask)).toEqual([]);
        },
      );

      test('control: where a resource is remembered from before the tx, some are not', async () => {
        const other = await open();
        try {
          const broken = furnished(await gatewayOver(other, { change: forgetful }));
          expect(await illegalMoves('paymentInstrument', broken)).not.toEqual([]);
        } finally {
          await dispose(other);
        }
      });

      test('no account closes over an open instrument, and no instrument opens under a closed account', async () => {
        const holder = await ask.holder();
        const account = await ask.account(holder);
        const response = await all(async (n) => {
          if (n % 4 === 3) return move('balanceAccount', account, 'closed');
          const made = await ask.post('/paymentInstruments', {
            type: 'bankAccount',
            issuingCountryCode: 'NL',
            balanceAccountId: account,
          });
          return made.status === 200 ? ask.post(`/paymentInstruments/${made.body.id}/cancel`) : made;
        });
        expect(response.filter((each) => !isSound(each))).toEqual([]);
        const { body } = await ask.get(`/balanceAccounts/${account}`);
        const list = await ask.get(`/balanceAccounts/${account}/paymentInstruments?limit=100`);
        const open = list.body.paymentInstruments.filter(({ status }: { status: string }) => status !== 'closed');
        if (body.status === 'closed') expect(open).toEqual([]);
        else expect((await move('balanceAccount', account, 'closed')).status).toBe(open.length === 0 ? 200 : 422);
      });

      test('one of many replacements is the one', async () => {
        const account = await ask.account(await ask.holder());
        const old = await ask.instrument(account);
        const response = await all(() =>
          ask.post('/paymentInstruments', {
            ...{ type: 'card', issuingCountryCode: 'NL', balanceAccountId: account, replacementOfId: old },
            card: { brand: 'mc', brandVariant: 'mcdebit', cardholderName: 'Anna', formFactor: 'virtual' },
          }),
        );
        const made = response.filter(({ status }) => status === 200);
        expect(made).toHaveLength(1);
        expect((await ask.get(`/paymentInstruments/${old}`)).body.replacedById).toBe(made[0]!.body.id);
      });
    });

    test('who acts for another platform moves nothing here', async () => {
      for (const kind of apis.keys()) {
        const api = apis.get(kind)!;
        const path = `${api.path}/${await make(kind)}`;
        const [status] = Object.keys(api.kind.lifecycle.active ?? {});
        const foreign = await ask.patch(path, { status }, { who: callers.otherPlatform });
        expect(foreign.body.errorCode).toBe('30_002');
        expect((await ask.get(path)).body.status).toBe('active');
      }
    });
  });
}
