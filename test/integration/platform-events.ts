/** Events of a balance platform on every engine: one for each change, in its transaction, in the order of the resource. */

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { boundOperations } from '../../src/core/contract/service.ts';
import type { AccountHolder } from '../../src/payments/balance-platform/account-holders/contract.ts';
import { createEventCompleter, type ResourceEventData } from '../../src/payments/balance-platform/events.ts';
import { balancePlatformV2 } from '../../src/payments/balance-platform/v2.ts';
import type { TakenJob } from '../../src/stores/jobs/job.ts';
import type { EventBatch } from '../../src/stores/jobs/webhooks/event.ts';
import { keyScope } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import type { Store } from '../../src/stores/store.ts';
import { platformResources } from '../resources/index.ts';
import { callers, now } from '../support/fixture.ts';
import { type GatewayOptions, gatewayOver, type TestGateway } from '../support/gateway.ts';
import { tables } from '../support/migrated.ts';
import { override } from '../support/override.ts';
import { cardFor, cardInfo, type Furnished, furnished } from '../support/seeded-platform.ts';
import type { EngineFactory } from './store.ts';

/** As the payload of a job. */
type ResourceEvent = ResourceEventData<AccountHolder> & {
  readonly eventId: string;
  readonly requestReference: string;
  readonly at: number;
};

const halt = new Error('halt');

/** Each tx is given up when all is done in it, as by a store that goes away. */
const halting = (store: Store, isHalting: () => boolean): Store => ({
  ...store,
  write: (work) =>
    store.write(async (tx) => {
      const result = await work(tx);
      if (isHalting()) throw halt;
      return result;
    }),
});

/** The seeded defect: it enqueues events after the transaction, even where that rolled back. */
const tellingAfter = (store: Store, isHalting: () => boolean): Store => {
  const halted = halting(store, isHalting);
  return {
    ...store,
    async write(work) {
      const batches: EventBatch[] = [];
      const enqueue = async (batch: EventBatch) => {
        batches.push(batch);
      };
      try {
        return await halted.write((tx) => work(override(tx, { outbox: override(tx.outbox, { enqueue: enqueue }) })));
      } finally {
        for (const batch of batches) await store.write((tx) => tx.outbox.enqueue(batch));
      }
    },
  };
};

export function describePlatformNotices({ open, dispose }: EngineFactory): void {
  describe('notices of the balance platform', () => {
    let engine: Engine;
    let gateway: TestGateway;
    let ask: Furnished;

    const listen = async (endpointId: string, format: string, company = 'Demo') => {
      const { endpoints, context: world } = gateway.parts;
      const sealed = world.vault.seal(keyScope({ tenant: company, endpointId }), { payload: '00'.repeat(32) });
      await endpoints.add({
        tenant: company,
        endpointId,
        url: 'https://shop.example.com/',
        format,
        sealed,
        createdAt: 1,
      });
    };
    const begin = async (options?: GatewayOptions) => {
      gateway = await gatewayOver(engine, options);
      ask = furnished(gateway);
      await listen('we_1', 'configuration');
    };
    beforeEach(async () => {
      engine = await open();
      await begin();
    });
    afterEach(() => dispose(engine));

    const take = () => gateway.parts.jobs.take('webhook', { leaseOwner: 'test', leaseMs: 60_000, max: 100 });
    const end = (job: TakenJob) => gateway.parts.store.write((tx) => tx.jobs.end(job));
    /** As receivers get it. */
    const eventOf = async ({ payload }: TakenJob) => {
      const complete = createEventCompleter({ store: gateway.parts.store, vault: gateway.parts.context.vault });
      return (await complete(JSON.parse(payload) as ResourceEvent)) as ResourceEvent;
    };
    /** Takes the queued events, by request and in order; they count as delivered. */
    const takeEvents = async (): Promise<readonly ResourceEvent[]> => {
      const events: ResourceEvent[] = [];
      for (let taken = await take(); taken.length > 0; taken = await take())
        for (const job of taken) {
          events.push(await eventOf(job));
          await end(job);
        }
      return events.toSorted((one, other) => one.eventId.localeCompare(other.eventId, 'en', { numeric: true }));
    };
    const shown = (events: readonly ResourceEvent[]) =>
      events.map(({ kind, operation, record }) => `${kind} ${operation} ${record.id}`);
    const hearing = async (asked: () => Promise<unknown>) => {
      await asked();
      return shown(await takeEvents());
    };

    test('every writing operation enqueues an event for the resource that it answers with', async () => {
      const writing = boundOperations(balancePlatformV2).filter(({ effect }) => effect === 'writes');
      for (const { name, http } of writing) {
        const { api } = platformResources.find((each) => name in each.api.writes)!;
        const { kind, writes } = api;
        const ids = await ask.branch(api);
        await takeEvents();
        const { body } = writes[name]!(ids[kind.parent?.kind.name ?? ''] ?? 'DemoPlatform');
        const path = http.path.replace('{id}', ids[kind.name]!);
        let answered = '';
        const lines = await hearing(async () => {
          answered = (await ask.ask(http.method, path, body)).body.id;
        });
        const verb = answered === ids[kind.name] ? 'updated' : 'created';
        expect({ name, lines }).toEqual({ name, lines: expect.arrayContaining([`${kind.name} ${verb} ${answered}`]) });
      }
    });

    test('an operation enqueues events for what it changes directly and indirectly', async () => {
      const enqueue = async (...expected: (readonly [() => Promise<unknown>, ...string[]])[]) => {
        for (const [asked, ...lines] of expected) expect(await hearing(asked)).toEqual(lines);
      };
      const [one, other] = [await ask.holder(), await ask.holder()];
      expect(shown(await takeEvents())).toEqual([`accountHolder created ${one}`, `accountHolder created ${other}`]);
      const holder = (id: string) => `accountHolder updated ${id}`;
      await enqueue([() => ask.patch(`/accountHolders/${one}`, { reference: 'r' }), holder(one)]);

      const first = await ask.account(one);
      expect(shown(await takeEvents())).toEqual([`balanceAccount created ${first}`, holder(one)]);
      const second = await ask.account(one);
      expect(shown(await takeEvents())).toEqual([`balanceAccount created ${second}`]);
      const [account, next] = [first, second].map((id) => `balanceAccount updated ${id}`);
      const patch = (id: string, body: object) => () => ask.patch(`/balanceAccounts/${id}`, body);
      await enqueue(
        [patch(first, { reference: 'r' }), account!],
        // It was the primary account of the one, and becomes that of the other.
        [patch(first, { accountHolderId: other }), account!, holder(one), holder(other)],
        [patch(second, { status: 'closed' }), next!, holder(one)],
      );

      const card = await ask.instrument(first);
      expect(shown(await takeEvents())).toEqual([`paymentInstrument created ${card}`]);
      const instrument = `paymentInstrument updated ${card}`;
      const path = `/paymentInstruments/${card}`;
      await enqueue([() => ask.patch(path, { status: 'suspended' }), instrument]);
      await enqueue([() => ask.post(`${path}/cancel`, {}), instrument]);
    });

    test('an event has the resource as GET answers it then, and the reference of its request', async () => {
      const id = await ask.holder({ capabilities: { issueCard: { requested: true } }, metadata: { a: '1' } });
      const { body } = await ask.get(`/accountHolders/${id}`);
      const changed = await ask.patch(`/accountHolders/${id}`, { description: 'new' });
      const [created, updated, ...others] = await takeEvents();
      expect(others).toEqual([]);
      expect(created).toEqual({
        kind: 'accountHolder',
        operation: 'created',
        platform: 'DemoPlatform',
        record: body,
        eventId: created?.requestReference,
        requestReference: expect.stringMatching(/^PSP\d{13}$/),
        at: now,
      });
      expect(updated?.record).toEqual(changed.body);
      const account = await ask.account(id);
      const [first, second] = await takeEvents();
      expect(first?.record).toEqual((await ask.get(`/balanceAccounts/${account}`)).body);
      expect([second?.record, second?.eventId]).toEqual([
        (await ask.get(`/accountHolders/${id}`)).body,
        `${first?.eventId}.2`,
      ]);
      const card = await ask.instrument(account);
      expect((await takeEvents())[0]?.record).toEqual((await ask.get(`/paymentInstruments/${card}`)).body);
    });

    test('a replacement enqueues events of both instruments, when it is created and when it is activated', async () => {
      const account = await ask.account(await ask.holder());
      const old = await ask.instrument(account);
      await takeEvents();
      const id = await ask.instrument(account, { replacementOfId: old, status: 'inactive' });
      const made = await takeEvents();
      expect(shown(made)).toEqual([`paymentInstrument created ${id}`, `paymentInstrument updated ${old}`]);
      expect(made.map(({ record }) => record)).toMatchObject([
        { replacementOfId: old },
        { replacedById: id, status: 'active' },
      ]);
      await ask.patch(`/paymentInstruments/${id}`, { status: 'active' });
      const works = await takeEvents();
      expect(works.map(({ record }) => record)).toMatchObject([
        { id, status: 'active' },
        { id: old, replacedById: id, status: 'closed', statusReason: 'other', statusComment: `Replaced by ${id}` },
      ]);
      const third = await ask.instrument(account, { replacementOfId: id });
      expect(shown(await takeEvents())).toEqual([
        `paymentInstrument created ${third}`,
        `paymentInstrument updated ${id}`,
      ]);
    });

    test('each endpoint takes the events of a resource in order; resources do not wait for each other', async () => {
      const [one, other] = [await ask.holder(), await ask.holder()];
      for (const description of ['a', 'b']) await ask.patch(`/accountHolders/${one}`, { description });
      await ask.patch(`/accountHolders/${other}`, { description: 'c' });
      const order: string[] = [];
      for (let taken = await take(); taken.length > 0; taken = await take()) {
        expect(await take()).toEqual([]);
        order.push(
          (await Promise.all(taken.map(eventOf)))
            .map(({ record }) => `${record.id === one ? 'one' : 'other'} ${record.description ?? '-'}`)
            .toSorted()
            .join(),
        );
        for (const job of taken) await end(job);
      }
      expect(order).toEqual(['one -,other -', 'one a,other c', 'one b']);
    });

    test('each format hears its own, and another company nothing', async () => {
      await listen('we_2', 'tokenization');
      await listen('we_3', 'classic');
      await listen('we_4', 'configuration');
      await listen('we_5', 'configuration', 'Other');
      await ask.holder();
      const taken = await take();
      expect(taken.map(({ jobId }) => jobId.split('/')[1]).sort()).toEqual(['we_1', 'we_4']);
      for (const job of taken) await end(job);
      const input = {
        merchantAccount: 'DemoMerchant',
        card: { number: '4000009900000012', expiryMonth: '3', expiryYear: '2030', holderName: 'Anna' },
        recurring: { contract: 'RECURRING' },
        shopperReference: 'anna',
      };
      const { message } = await gateway.ask({
        path: '/pal/servlet/Recurring/v25/storeToken',
        headers: { 'content-type': 'application/json', ...callers.demo },
        body: JSON.stringify(input),
      });
      expect(message.status).toBe(200);
      expect((await take()).map(({ jobId }) => jobId.split('/')[1]).sort()).toEqual(['we_2', 'we_3']);
    });

    test('a request that changes nothing, is refused, reads or is a retry enqueues nothing', async () => {
      const key = { headers: { 'idempotency-key': 'the-key-of-the-holder-created-once' } };
      const made = await ask.post('/accountHolders', { legalEntityId: 'LE1', description: 'one' }, key);
      const path = `/accountHolders/${made.body.id}`;
      const account = await ask.account(made.body.id);
      expect(await takeEvents()).toHaveLength(3);
      expect((await ask.post('/accountHolders', { legalEntityId: 'LE1', description: 'one' }, key)).status).toBe(200);
      gateway.restart();
      expect((await ask.post('/accountHolders', { legalEntityId: 'LE1', description: 'one' }, key)).status).toBe(200);
      expect((await ask.patch(path, { description: 'one', status: 'active' })).status).toBe(200);
      expect((await ask.patch(path, {})).status).toBe(200);
      expect((await ask.patch(`/balanceAccounts/${account}`, { status: 'active' })).status).toBe(200);
      expect((await ask.patch(path, { status: 'closed' })).status).toBe(422);
      expect((await ask.patch(path, {}, { headers: { 'if-match': '"9"' } })).status).toBe(412);
      await ask.get(path);
      expect(await takeEvents()).toEqual([]);
    });

    const given = async (change: (store: Store, isHalting: () => boolean) => Store) => {
      await dispose(engine);
      engine = await open();
      let isHalting = false;
      await begin({ change: (store) => change(store, () => isHalting) });
      const account = await ask.account(await ask.holder());
      const old = await ask.instrument(account);
      await takeEvents();
      isHalting = true;
      await expect(ask.post('/paymentInstruments', cardFor(account, { replacementOfId: old }))).rejects.toBe(halt);
      isHalting = false;
      expect((await ask.get(`/paymentInstruments/${old}`)).body).not.toHaveProperty('replacedById');
      return shown(await takeEvents());
    };

    test('a transaction that rolls back enqueues nothing', async () => {
      expect(await given(halting)).toEqual([]);
    });

    test('control: events enqueued after the transaction report what never happened', async () => {
      expect(await given(tellingAfter)).toHaveLength(2);
    });

    test('what an answer shows once, and what is sealed, is in no job', async () => {
      const account = await ask.account(await ask.holder());
      const authentication = { password: 'open-sesame-17', email: 'anna@example.com' };
      const card = { ...cardInfo, usage: 'singleUse', authentication };
      const made = await ask.post('/paymentInstruments', cardFor(account, { card }));
      const bank = await ask.post('/paymentInstruments', {
        ...{ type: 'bankAccount', issuingCountryCode: 'GB', balanceAccountId: account },
      });
      await ask.patch(`/paymentInstruments/${bank.body.id}`, { status: 'suspended' });
      const rows: string[] = [];
      for (const { name } of tables) {
        const all = statement(`events-of-${name}`, `select * from ${name}`);
        for (const row of await engine.read((session) => session.query(all, []))) rows.push(JSON.stringify(row));
      }
      expect(rows.filter((row) => row.includes('"webhook"') && row.includes(made.body.id))).toHaveLength(1);
      expect(rows.filter((row) => row.includes('"webhook"') && row.includes(bank.body.id))).toHaveLength(2);
      const { iban, accountNumber } = bank.body.bankAccount;
      expect([made.body.card.number, iban]).toEqual([expect.stringMatching(/^\d{16}$/), expect.any(String)]);
      for (const secret of [made.body.card.number, iban, accountNumber, 'open-sesame-17', 'cvc\\"'])
        expect(rows.filter((row) => row.includes(secret))).toEqual([]);
      const events = (await takeEvents()).filter(({ kind }) => kind === 'paymentInstrument');
      expect(events.map(({ record }) => record)).toMatchObject([
        { card: { number: `************${made.body.card.lastFour}` } },
        { bankAccount: { formFactor: 'physical', type: bank.body.bankAccount.type } },
        { status: 'suspended' },
      ]);
    });
  });
}
