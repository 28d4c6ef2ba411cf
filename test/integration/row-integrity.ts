/** MACs of rows on every engine: what is changed in the database is refused, and no row without a MAC is accepted. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createCredentials } from '../../src/access/credentials/credentials.ts';
import { accountHolders } from '../../src/payments/balance-platform/account-holders/kind.ts';
import { balanceAccounts } from '../../src/payments/balance-platform/balance-accounts/kind.ts';
import type { ResourceKind } from '../../src/payments/balance-platform/resource.ts';
import { ResourceReader, ResourceRepository } from '../../src/payments/balance-platform/store/repository.ts';
import { announcementOf } from '../../src/payments/recurring/account-updater/announced-changes.ts';
import {
  CardChangeReader,
  CardChangeRepository,
} from '../../src/payments/recurring/account-updater/store/card-changes.ts';
import { DetailReader, DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import { announcedChanges } from '../../src/payments/recurring/tables.ts';
import type { TakenJob } from '../../src/stores/jobs/job.ts';
import type { Endpoint } from '../../src/stores/jobs/webhooks/ports.ts';
import { keyScope } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import { moveRow } from '../../src/stores/reindex.ts';
import { type AlteredRow, RowAltered, RowIntegrity } from '../../src/stores/row-integrity.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { loadIntegrity } from '../../src/stores/sql/row-integrity-state.ts';
import { findWrongRows, signWrongRows } from '../../src/stores/sql/signed-rows.ts';
import { createEndpoints } from '../../src/stores/sql/webhook-endpoints.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import { tables } from '../support/migrated.ts';
import { createRegistry } from '../support/services.ts';
import { anna, anyInstrument, cardNumber, furnish, pepper, runText, sampleDetail, vault } from './samples.ts';
import type { EngineFactory } from './store.ts';

const deliveryJob: Omit<TakenJob, 'tenant' | 'orderingKey'> = {
  jobId: 'P1/we_1',
  kind: 'webhook',
  payload: '{}',
  createdAt: 1,
  ageMs: 1,
  attempts: 1,
  leaseOwner: 'here',
};

export function describeRowIntegrity({ open, dispose }: EngineFactory): void {
  describe('MACs of rows', () => {
    let engine: Engine;
    const now = 1_700_000_000_000;
    const clock = { now: () => now };
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
    });
    afterEach(() => dispose(engine));

    const webhook: Endpoint = {
      tenant: 'Demo',
      endpointId: 'we_1',
      url: 'https://shop.example.com/',
      format: 'tokenization',
      sealed: vault.seal(keyScope({ tenant: 'Demo', endpointId: 'we_1' }), { payload: 'ab'.repeat(32) }),
      createdAt: 1,
    };
    interface Server {
      readonly integrity: RowIntegrity;
      readonly store: Store;
      readonly altered: AlteredRow[];
    }
    const serve = async (): Promise<Server> => {
      const integrity = new RowIntegrity();
      const altered: AlteredRow[] = [];
      integrity.listen((row) => altered.push(row));
      await loadIntegrity(engine, vault, integrity, { create: true });
      return { integrity, store: createStore(engine, { shared: [integrity] }), altered };
    };
    const findWrong = async ({ integrity }: Pick<Server, 'integrity'>) =>
      (await findWrongRows({ engine, integrity, tables })).wrong;
    const add = ({ store }: Pick<Server, 'store'>, ...references: readonly string[]) =>
      store.write(async (tx) => {
        await tx.repository(DetailRepository).saveShopper(anna, { createdAt: 1 });
        for (const each of references) await tx.repository(DetailRepository).saveDetail(anna, sampleDetail(each));
      });
    const list = async ({ store }: Pick<Server, 'store'>) =>
      (await store.read((tx) => tx.repository(DetailReader).findShopper(anna)))?.details.length;
    const change = (text: string) => runText(engine, text);

    const changes = [
      `update stored_detail set public_data = replace(public_data, '2030', '2039')`,
      `update stored_detail set public_data = replace(public_data, '1111', '4242')`,
      `update stored_detail set contracts = 'PAYOUT'`,
      'update stored_detail set created_at = 7',
      'update stored_detail set row_mac = null',
      `update stored_detail set row_mac = (select max(row_mac) from stored_detail where recurring_detail_reference = 'B')`,
    ];
    test.each(changes)('a changed detail is refused, and reported: %s', async (text) => {
      const server = await serve();
      await add(server, 'A', 'B');
      expect(await list(server)).toBe(2);
      await change(`${text} where recurring_detail_reference = 'A'`);
      await expect(list(server)).rejects.toThrow(RowAltered);
      expect(server.altered).toEqual([{ table: 'stored_detail', tenant: 'Demo', id: 'A' }]);
      // Neither storing it again nor reading it for an update signs what was changed.
      await expect(server.store.write((tx) => tx.repository(DetailRepository).findShopper(anna))).rejects.toThrow(
        RowAltered,
      );
      // The control: without MACs nobody notices.
      expect(await list({ store: createStore(engine) })).toBe(2);
    });
    test('tokenLookup refuses a changed detail', async () => {
      const server = await serve();
      await add(server, 'A');
      const { fingerprint } = sampleDetail('A');
      const find = ({ store }: Pick<Server, 'store'>) =>
        store.read((tx) => tx.repository(DetailReader).findHolders(anna, { fingerprint, match: anyInstrument }));
      expect(await find(server)).toHaveLength(1);
      await change('update stored_detail set created_at = 7');
      await expect(find(server)).rejects.toThrow(RowAltered);
      // The control: without MACs nobody notices.
      expect(await find({ store: createStore(engine) })).toHaveLength(1);
    });
    test('all rows can be compared, and altered ones are found', async () => {
      const server = await serve();
      await add(server, 'A', 'B', 'C');
      const registry = createRegistry(engine, pepper, clock, undefined, undefined, server.integrity);
      const one = await registry.addCredential({ tenant: 'Demo', kind: 'apiKey', roles: ['recurring'], grants: {} });
      const find = () => findWrong(server);
      expect(await find()).toEqual([]);
      expect((await registry.listCredentials()).map(({ altered }) => altered)).toEqual([undefined]);
      await change(`update stored_detail set contracts = 'PAYOUT' where recurring_detail_reference = 'B'`);
      await change(`update credential set read_only = 1`);
      expect(await find()).toEqual([
        { table: 'credential', tenant: 'Demo', id: one.id, isUnsigned: false },
        { table: 'stored_detail', tenant: 'Demo', id: 'B', isUnsigned: false },
      ]);
      expect((await registry.listCredentials()).map(({ altered }) => altered)).toEqual([true]);
    });
    test('the end of a rotated secret is not put off', async () => {
      const server = await serve();
      const registry = createRegistry(engine, pepper, clock, undefined, undefined, server.integrity);
      const one = await registry.addCredential({ tenant: 'Demo', kind: 'apiKey', roles: ['recurring'], grants: {} });
      await registry.rotateCredential(one.id, { graceMs: 60_000 });
      const verify = (integrity: RowIntegrity) =>
        createCredentials(engine, pepper, clock, undefined, undefined, integrity).verify({
          kind: 'apiKey',
          secret: one.secret,
        });
      expect((await verify(server.integrity)).caller?.credential).toBe(one.id);
      await change('update credential_secret set valid_until = 9999999999999 where valid_until is not null');
      await expect(verify(server.integrity)).rejects.toThrow(RowAltered);
      // The control: without MACs the old secret lives on.
      expect((await verify(new RowIntegrity())).caller?.credential).toBe(one.id);
    });
    test('a detail of another shopper is not moved, and a disabled one is not made active', async () => {
      const server = await serve();
      await add(server, 'A');
      await server.store.write((tx) => tx.repository(DetailRepository).disableDetail(anna, 'A', 9));
      expect(await list(server)).toBe(0);
      await change('update stored_detail set disabled_at = null');
      await expect(list(server)).rejects.toThrow(RowAltered);
    });

    const credentialChanges = [
      `update credential set roles = '["recurring","recurring:lookup"]'`,
      `update credential set grants = '{"merchantAccount":["DemoMerchant","DemoMerchantNL"]}'`,
      `update credential set expires_at = 9999999999999`,
      'update credential set requires_key = 1',
      'update credential set row_mac = null',
      `update credential_secret set hash = (select hash from credential_secret s where s.credential_id <> credential_secret.credential_id),
         salt = (select salt from credential_secret s where s.credential_id <> credential_secret.credential_id)`,
    ];
    test.each(credentialChanges)('a changed credential is refused: %s', async (text) => {
      const server = await serve();
      const registry = createRegistry(engine, pepper, clock, undefined, undefined, server.integrity);
      const of = { tenant: 'Demo', kind: 'basic', roles: ['recurring'] } as const;
      const grants = { merchantAccount: ['DemoMerchant'] };
      const one = await registry.addCredential({ ...of, grants });
      const other = await registry.addCredential({ ...of, grants, username: 'ws_2@Company.Demo' });
      const credentials = () => createCredentials(engine, pepper, clock, undefined, undefined, server.integrity);
      const verify = (secret: string) => credentials().verify({ kind: 'basic', username: 'ws@Company.Demo', secret });
      expect((await verify(one.secret)).caller?.credential).toBe(one.id);
      await registry.editCredential(one.id, { readOnly: true });
      const rotated = await registry.rotateCredential(one.id, { graceMs: 1_000 });
      expect((await verify(rotated.secret)).caller?.readOnly).toBe(true);
      await change(`${text} where credential_id = '${one.id}'`);
      for (const secret of [rotated.secret, other.secret]) await expect(verify(secret)).rejects.toThrow(RowAltered);
      await expect(registry.editCredential(one.id, { readOnly: false })).rejects.toThrow(RowAltered);
      await expect(registry.rotateCredential(one.id, { graceMs: 0 })).rejects.toThrow(RowAltered);
      // The control: without MACs the change counts; a copied hash lets the other secret in.
      const plain = createCredentials(engine, pepper, clock);
      const secret = text.includes('hash') ? other.secret : rotated.secret;
      const accepted = await plain.verify({ kind: 'basic', username: 'ws@Company.Demo', secret });
      expect(accepted.caller?.credential).toBe(one.id);
    });

    const renewal = announcementOf({ number: cardNumber, newExpiryMonth: '08', newExpiryYear: '2034' }, 'Demo', vault);
    const announce = ({ store }: Pick<Server, 'store'>) =>
      store.write((tx) => tx.repository(CardChangeRepository).saveAnnouncement('Demo', renewal, 1));
    const announced = ({ store }: Pick<Server, 'store'>, fingerprint = renewal.fingerprint) =>
      store.read((tx) => tx.repository(CardChangeReader).findAnnouncement('Demo', fingerprint));
    test.each([
      `update announced_change set status = 'closed'`,
      `update announced_change set expiry_year = '2039'`,
      `update announced_change set fingerprint = 'OTHER'`,
      'update announced_change set row_mac = null',
    ])('a changed announcement of a card is refused, and stays where it is: %s', async (text) => {
      const server = await serve();
      await announce(server);
      expect(await announced(server)).toEqual(renewal);
      await change(text);
      const fingerprint = text.includes('OTHER') ? 'OTHER' : renewal.fingerprint;
      // The control: without keys of MACs the change counts.
      expect(await announced({ store: createStore(engine) }, fingerprint)).toBeDefined();
      await expect(announced(server, fingerprint)).rejects.toThrow(RowAltered);
      const altered = { table: 'announced_change', tenant: 'Demo', id: fingerprint };
      expect(server.altered).toEqual([altered]);
      expect(await findWrong(server)).toEqual([{ ...altered, isUnsigned: text.endsWith('null') }]);
      await server.store.write((tx) =>
        moveRow(tx, vault, announcedChanges, { tenant: 'Demo', from: fingerprint, to: 'MOVED' }),
      );
      expect(await announced(server, 'MOVED')).toBeUndefined();
      // Another announcement of the card takes its place.
      if (fingerprint === renewal.fingerprint) {
        await announce(server);
        expect(await announced(server)).toEqual(renewal);
      }
    });
    test('an announcement that is moved to another fingerprint is signed for it', async () => {
      const server = await serve();
      await announce(server);
      const to = 'MOVED';
      await server.store.write((tx) =>
        moveRow(tx, vault, announcedChanges, { tenant: 'Demo', from: renewal.fingerprint, to }),
      );
      expect(await announced(server, 'MOVED')).toEqual({ ...renewal, fingerprint: 'MOVED' });
      expect(await announced(server)).toBeUndefined();
      expect(await findWrong(server)).toEqual([]);
    });

    const endpointChanges = [
      `update webhook_endpoint set url = 'https://thief.example.com/'`,
      `update webhook_endpoint set format = 'classic'`,
      'update webhook_endpoint set created_at = 7',
      'update webhook_endpoint set previous_key_until = 9999999999999',
      'update webhook_endpoint set row_mac = null',
    ];
    test.each(endpointChanges)('no event is sent to a changed webhook endpoint: %s', async (text) => {
      const server = await serve();
      const endpoints = createEndpoints(engine, server.integrity);
      await endpoints.add(webhook);
      const job = { ...deliveryJob, tenant: 'Demo', orderingKey: 'we_1/P1' };
      expect((await endpoints.findFor(job))?.url).toBe(webhook.url);
      expect(await endpoints.rotate('we_1', { rotatingUntil: now, seal: () => webhook.sealed })).toBe(true);
      expect((await endpoints.findFor(job))?.rotation?.until).toBe(now);
      expect((await endpoints.list()).map(({ altered }) => altered)).toEqual([undefined]);
      const find = () => findWrong(server);
      expect(await find()).toEqual([]);
      await change(text);
      await expect(endpoints.findFor(job)).rejects.toThrow(RowAltered);
      const altered = { table: 'webhook_endpoint', tenant: 'Demo', id: 'we_1' };
      expect(server.altered).toEqual([altered]);
      expect(await find()).toEqual([{ ...altered, isUnsigned: text.includes('row_mac') }]);
      expect((await endpoints.list()).map(({ altered }) => altered)).toEqual([true]);
      // A change would sign what was altered.
      await expect(endpoints.rotate('we_1', { rotatingUntil: now, seal: () => webhook.sealed })).rejects.toThrow(
        RowAltered,
      );
      // The control: without MACs the event is sent where the row says.
      const found = await createEndpoints(engine).findFor(job);
      if (text.includes('thief')) expect(found?.url).toBe('https://thief.example.com/');
      else expect(found).toBeDefined();
    });
    const platform = 'P1';
    const addResources = async ({ store, integrity }: Pick<Server, 'store' | 'integrity'>) => {
      const registry = createRegistry(engine, pepper, clock, undefined, undefined, integrity);
      await registry.saveBalancePlatform({ id: platform, company: 'Demo', status: 'Active', timeZone: 'UTC' });
      await store.write(async (tx) => {
        const resources = tx.repository(ResourceRepository);
        const of = { platform, revision: 1 };
        const holder = {
          id: 'AH1',
          status: 'active',
          legalEntityId: 'LE1',
          timeZone: 'UTC',
          balancePlatform: platform,
        };
        await resources.addResource({ ...of, kind: accountHolders as ResourceKind, record: holder });
        const account = { ...holder, id: 'BA1', accountHolderId: 'AH1', defaultCurrencyCode: 'EUR' };
        await resources.addResource({ ...of, kind: balanceAccounts as ResourceKind, record: account });
        // A second state is signed, too.
        const closed = { ...account, status: 'closed' };
        await resources.changeResource({
          platform,
          revision: 2,
          kind: balanceAccounts as ResourceKind,
          record: closed,
        });
      });
    };
    const read = ({ store }: Pick<Server, 'store'>) =>
      store.read(async (tx) => {
        const resources = tx.repository(ResourceReader);
        return [
          (await resources.findPlatform(platform))?.status,
          (await resources.findResource(accountHolders, platform, 'AH1'))?.record.legalEntityId,
          (
            await resources.listResources({ kind: balanceAccounts, platform, parent: 'AH1' }, { offset: 0, limit: 10 })
          ).map(({ record: { status } }) => status),
        ];
      });
    const resourceChanges = [
      [`balance_platform set status = 'Closed'`, 'P1'],
      [`balance_platform set company = 'Other'`, 'P1'],
      [`account_holder set record = replace(record, 'LE1', 'LE2')`, 'AH1'],
      [`account_holder set status = 'closed'`, 'AH1'],
      [`balance_account set record = replace(record, 'closed', 'active')`, 'BA1'],
      [`balance_account set revision = 1`, 'BA1'],
      [`balance_account set row_mac = (select row_mac from account_holder)`, 'BA1'],
    ] as const;
    test.each(resourceChanges)('a changed row of the balance platform is refused: %s', async (text, id) => {
      const server = await serve();
      await addResources(server);
      const before = ['Active', 'LE1', ['closed']];
      expect(await read(server)).toEqual(before);
      expect(await findWrong(server)).toEqual([]);
      await change(`update ${text} where balance_platform = '${platform}'`);
      await expect(read(server)).rejects.toThrow(RowAltered);
      const [table] = text.split(' ') as [string];
      const tenant = platform;
      expect(server.altered).toEqual([{ table, tenant, id }]);
      expect(await findWrong(server)).toEqual([{ table, tenant, id, isUnsigned: false }]);
      // The control: without MACs the change counts.
      const plain = await read({ store: createStore(engine) });
      const isRead = /record|set status = 'Closed'/.test(text);
      if (isRead) expect(plain).not.toEqual(before);
      else expect(plain).toEqual(before);
    });
    test('rows are signed again by choice: those without a MAC, or named ones', async () => {
      const server = await serve();
      await add(server, 'A', 'B', 'C');
      await change(`update stored_detail set row_mac = null where recurring_detail_reference <> 'C'`);
      await change(`update stored_detail set contracts = 'PAYOUT' where recurring_detail_reference = 'C'`);
      const parts = { engine, integrity: server.integrity, tables };
      expect(await signWrongRows(parts, ({ isUnsigned }) => isUnsigned)).toBe(2);
      // The changed one was not signed with them.
      const wrong = { table: 'stored_detail', tenant: 'Demo', id: 'C', isUnsigned: false };
      expect(await findWrong(server)).toEqual([wrong]);
      await expect(list(server)).rejects.toThrow(RowAltered);
      expect(await signWrongRows(parts, ({ id }) => id === 'C')).toBe(1);
      expect(await findWrong(server)).toEqual([]);
      expect(await list(server)).toBe(3);
    });
    test('rows from before the keys are refused, whoever makes the keys', async () => {
      await add({ store: createStore(engine) }, 'A');
      await expect(list(await serve())).rejects.toThrow(RowAltered);
    });
    test('keys that are removed with the MACs, and made anew, accept no row from before', async () => {
      const server = await serve();
      await add(server, 'A');
      expect(await list(await serve())).toBe(1);
      await change('delete from row_integrity');
      // Whether the MACs stay or go.
      await expect(list(await serve())).rejects.toThrow(RowAltered);
      await change('update stored_detail set row_mac = null');
      await expect(list(await serve())).rejects.toThrow(RowAltered);
      // A process that has the keys goes on with them.
      await expect(list(server)).rejects.toThrow(RowAltered);
      await change(`update row_integrity set sealed_state = 'AAAA'`);
      await expect(serve()).rejects.toThrow();
    });
  });
}
