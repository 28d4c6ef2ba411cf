/** The balance platform on every engine, through a whole gateway: resources, lists, idempotency and tenants. */

import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createWrapping } from '../../src/core/vault/data-key.ts';
import { parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { SealBroken } from '../../src/core/vault/seal.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import { accountHolders } from '../../src/payments/balance-platform/account-holders/kind.ts';
import { openHolder } from '../../src/payments/balance-platform/account-holders/secrets.ts';
import { paymentInstruments } from '../../src/payments/balance-platform/payment-instruments/kind.ts';
import { ResourceReader } from '../../src/payments/balance-platform/store/repository.ts';
import { keyScope } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import { statement } from '../../src/stores/sql/engine.ts';
import { createKeyRotation } from '../../src/stores/sql/key-rotation.ts';
import { callers } from '../support/fixture.ts';
import { gatewayOver, type TestGateway } from '../support/gateway.ts';
import { tables } from '../support/migrated.ts';
import type { Headers } from '../support/resources.ts';
import { cardFor, type Furnished, furnished } from '../support/seeded-platform.ts';
import { runText } from './samples.ts';
import type { EngineFactory } from './store.ts';

/** Rows that are added around a list; more for a measurement: `LIST_ROWS=10000 npm run jest -- test/integration`. */
const rowsAround = Number(process.env.LIST_ROWS ?? 200);

export function describePlatforms({ open, dispose }: EngineFactory): void {
  describe('the balance platform', () => {
    let engine: Awaited<ReturnType<typeof open>>;
    let gateway: TestGateway;
    let ask: Furnished;
    beforeEach(async () => {
      engine = await open();
      gateway = await gatewayOver(engine);
      ask = furnished(gateway);
    });
    afterEach(() => dispose(engine));

    const makeHolder = async (also: object = {}, who: Headers = callers.platform) =>
      (await ask.post('/accountHolders', { legalEntityId: 'LE1', ...also }, { who })).body;

    test('an account holder is stored, found, changed and listed', async () => {
      const made = await ask.post('/accountHolders', {
        legalEntityId: 'LE1',
        reference: 'Ä "1"',
        metadata: { a: '1' },
      });
      expect(made).toMatchObject({ status: 200, headers: { ETag: '"1"' } });
      expect(made.body).toEqual({
        balancePlatform: 'DemoPlatform',
        id: expect.stringMatching(/^AH[A-Z0-9]{23}$/),
        legalEntityId: 'LE1',
        metadata: { a: '1' },
        reference: 'Ä "1"',
        status: 'active',
        timeZone: 'Europe/Amsterdam',
      });
      const path = `/accountHolders/${made.body.id}`;
      expect((await ask.get(path)).text).toBe(made.text);
      const changed = await ask.patch(
        path,
        { metadata: { b: '2' }, timeZone: 'UTC' },
        { headers: { 'if-match': '"1"' } },
      );
      expect(changed).toMatchObject({ status: 200, headers: { ETag: '"2"' } });
      expect(changed.body).toEqual({ ...made.body, metadata: { b: '2' }, timeZone: 'UTC' });
      const list = await ask.get('/balancePlatforms/DemoPlatform/accountHolders');
      expect(list.body).toEqual({ accountHolders: [changed.body], hasNext: false, hasPrevious: false });
    });

    test('what changes nothing is no new state, and If-Match holds the later of two', async () => {
      const path = `/accountHolders/${(await makeHolder({ description: 'one' })).id}`;
      expect((await ask.patch(path, { description: 'one' })).headers.ETag).toBe('"1"');
      const both = await Promise.all(
        ['two', 'three'].map((description) => ask.patch(path, { description }, { headers: { 'if-match': '"1"' } })),
      );
      expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
      expect((await ask.get(path)).headers.ETag).toBe('"2"');
      for (const header of ['"2"', '"9", "2"', '*'])
        expect((await ask.patch(path, {}, { headers: { 'if-match': header } })).status).toBe(200);
      for (const header of ['"1"', 'W/"2"', '2'])
        expect((await ask.patch(path, {}, { headers: { 'if-match': header } })).status).toBe(412);
    });

    test('a cancel can be made to depend on what was seen', async () => {
      const id = await ask.instrument(await account());
      const path = `/paymentInstruments/${id}/cancel`;
      const refused = await ask.post(path, undefined, { headers: { 'if-match': '"2"' } });
      expect(refused.body).toMatchObject({ status: 412, errorCode: '00_412' });
      expect((await ask.post(path, undefined, { headers: { 'if-match': '"1"' } })).body.status).toBe('closed');
    });

    test('a create and a change have their effect once for their key, and a list is never replayed', async () => {
      const key = { headers: { 'idempotency-key': '6f1c1f0e-3b7a-4d67-9f8e-2f6a3c1d9b10' } };
      const [first, ...others] = await Promise.all(
        Array.from({ length: 5 }, () => ask.post('/accountHolders', { legalEntityId: 'LE1' }, key)),
      );
      for (const other of others) if (other.status !== 409) expect(other.text).toBe(first!.text);
      gateway.restart();
      const again = await ask.post('/accountHolders', { legalEntityId: 'LE1' }, key);
      expect(again).toMatchObject({ text: first!.text, headers: { 'Idempotent-Replayed': 'true', ETag: '"1"' } });
      expect((await ask.post('/accountHolders', { legalEntityId: 'LE2' }, key)).body.errorCode).toBe('704');
      const path = `/accountHolders/${first!.body.id}`;
      const other = { headers: { 'idempotency-key': 'another-key-of-the-test' } };
      const changed = await ask.patch(path, { status: 'suspended' }, other);
      await ask.patch(path, { status: 'active' });
      expect((await ask.patch(path, { status: 'suspended' }, other)).text).toBe(changed.text);
      expect((await ask.get(path)).body.status).toBe('active');
      const list = '/balancePlatforms/DemoPlatform/accountHolders';
      expect((await ask.get(list, other)).body.accountHolders).toHaveLength(1);
    });

    test('a key belongs to the platform: another of the same company may use the same one', async () => {
      const headers = { 'idempotency-key': 'the-same-key-for-both-of-them' };
      const mine = await ask.post('/accountHolders', { legalEntityId: 'LE1' }, { headers });
      const theirs = await ask.post(
        '/accountHolders',
        { legalEntityId: 'LE1' },
        { headers, who: callers.otherPlatform },
      );
      expect([mine.body.balancePlatform, theirs.body.balancePlatform]).toEqual(['DemoPlatform', 'OtherPlatform']);
      expect(theirs.headers['Idempotent-Replayed']).toBeUndefined();
    });

    test('a platform that is not active refuses new resources', async () => {
      const platform = { id: 'DemoPlatform', company: 'Demo', timeZone: 'UTC', description: 'Ours' } as const;
      await gateway.parts.registry.saveBalancePlatform({ ...platform, status: 'Suspended' });
      expect((await ask.post('/accountHolders', { legalEntityId: 'LE1' })).body).toMatchObject({
        status: 422,
        errorCode: '30_003',
      });
      expect((await ask.get('/balancePlatforms/DemoPlatform')).body).toEqual({
        description: 'Ours',
        id: 'DemoPlatform',
        status: 'Suspended',
      });
      await gateway.parts.registry.saveBalancePlatform({ ...platform, status: 'Active' });
      expect((await makeHolder()).timeZone).toBe('UTC');
      const other = { ...platform, company: 'Other', status: 'Active' } as const;
      await expect(gateway.parts.registry.saveBalancePlatform(other)).rejects.toThrow(/another company/);
    });

    test('pages follow one another, and rows that come meanwhile change none of them', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 25; n += 1) ids.push((await makeHolder({ reference: `n${n}` })).id);
      const list = '/balancePlatforms/DemoPlatform/accountHolders';
      expect((await ask.get(list)).body.accountHolders).toHaveLength(10);
      const seen: string[] = [];
      for (let offset = 0; ; offset += 7) {
        const { body } = await ask.get(`${list}?offset=${offset}&limit=7`);
        seen.push(...body.accountHolders.map(({ id }: { id: string }) => id));
        expect(body.hasPrevious).toBe(offset > 0);
        if (!body.hasNext || seen.length > 25) break;
        await makeHolder({}, callers.otherPlatform);
        await makeHolder();
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.slice(0, 25)).toEqual(ids);
      const beyond = await ask.get(`${list}?offset=1000`);
      expect(beyond.body).toEqual({ accountHolders: [], hasNext: false, hasPrevious: true });
      const empty = await ask.get('/balancePlatforms/OtherPlatform/accountHolders?offset=1', { who: callers.demo });
      expect(empty.status).toBe(403);
    });

    const account = async (by = ask) => by.account(await by.holder());
    const bankAccount = (balanceAccountId: string, issuingCountryCode = 'NL') => ({
      type: 'bankAccount',
      issuingCountryCode,
      balanceAccountId,
    });
    const virtual = { brand: 'mc', brandVariant: 'mcdebit', cardholderName: 'Anna', formFactor: 'virtual' };

    test('a card for a single use is shown whole once; a retry and everyone after it gets it masked', async () => {
      const key = { headers: { 'idempotency-key': 'the-key-of-the-single-use-card' } };
      const asked = cardFor(await account(), { card: { ...virtual, usage: 'singleUse' } });
      const first = await ask.post('/paymentInstruments', asked, key);
      const { number, cvc, lastFour } = first.body.card;
      expect([number, cvc]).toEqual([expect.stringMatching(/^\d{16}$/), expect.stringMatching(/^\d{3}$/)]);
      const shown = { ...first.body, card: { ...first.body.card, number: `************${lastFour}` } };
      delete shown.card.cvc;
      expect((await ask.post('/paymentInstruments', asked, key)).body).toEqual(shown);
      gateway.restart();
      const retried = await ask.post('/paymentInstruments', asked, key);
      expect(retried).toMatchObject({ body: shown, headers: { 'Idempotent-Replayed': 'true' } });
      expect((await ask.get(`/paymentInstruments/${first.body.id}`)).body).toEqual(shown);
      const list = await ask.get(`/balanceAccounts/${asked.balanceAccountId}/paymentInstruments`);
      expect(list.body.paymentInstruments).toEqual([shown]);
    });

    test.each([
      ['a virtual card', { card: virtual }],
      ['a physical card for a single use', { card: { ...virtual, formFactor: 'physical', usage: 'singleUse' } }],
    ])('%s is never shown whole', async (_, also) => {
      const { card } = (await ask.post('/paymentInstruments', cardFor(await account(), also))).body;
      expect(card).not.toHaveProperty('cvc');
      expect(card.number).toBe(`************${card.lastFour}`);
    });

    test('no number, security code or password lies open in any table', async () => {
      const balanceAccountId = await account();
      const authentication = { password: 'open-sesame-17', email: 'anna@example.com' };
      const card = { ...virtual, usage: 'singleUse', authentication };
      const headers = { 'idempotency-key': 'the-key-of-the-card-in-question' };
      const made = await ask.post('/paymentInstruments', cardFor(balanceAccountId, { card }), { headers });
      const uk = await ask.post('/paymentInstruments', bankAccount(balanceAccountId, 'GB'));
      expect(made.body.card.authentication).toEqual({ email: 'anna@example.com', password: '******' });
      const rows: string[] = [];
      for (const { name } of tables) {
        const all = statement(`all-of-${name}`, `select * from ${name}`);
        for (const row of await engine.read((session) => session.query(all, []))) rows.push(JSON.stringify(row));
      }
      expect(rows.some((row) => row.includes(made.body.id) && row.includes('anna@example.com'))).toBe(true);
      const { iban, accountNumber } = uk.body.bankAccount;
      for (const secret of [made.body.card.number, iban, accountNumber, 'open-sesame-17'])
        expect(rows.filter((row) => row.includes(secret))).toEqual([]);
      expect(rows.filter((row) => row.includes(`"cvc"`))).toEqual([]);
    });

    /** All rows of all tables, as texts. */
    const allRows = async () => {
      const rows: string[] = [];
      for (const { name } of tables) {
        const all = statement(`every-row-of-${name}`, `select * from ${name}`);
        for (const row of await engine.read((session) => session.query(all, []))) rows.push(JSON.stringify(row));
      }
      return rows;
    };

    test('no legal entity lies open in any table, whatever is asked with a key and told to receivers', async () => {
      const { endpoints, context } = gateway.parts;
      const endpoint = { tenant: 'Demo', endpointId: 'we_1' };
      const sealed = context.vault.seal(keyScope(endpoint), { payload: '00'.repeat(32) });
      await endpoints.add({
        ...endpoint,
        ...{ url: 'https://shop.example.com/', format: 'configuration', sealed, createdAt: 1 },
      });
      const legalEntityId = 'LE-of-the-holder-in-question';
      const key = { headers: { 'idempotency-key': 'the-key-of-the-holder-in-question' } };
      const made = await ask.post('/accountHolders', { legalEntityId, description: 'shop' }, key);
      const path = `/accountHolders/${made.body.id}`;
      const changes = { headers: { 'idempotency-key': 'the-key-of-the-change-in-question' } };
      const changed = await ask.patch(path, { description: 'other shop' }, changes);
      await ask.account(made.body.id);
      const rows = await allRows();
      // Control: the rows, the outcomes and the events of the holder are among them.
      expect(rows.filter((row) => row.includes('other shop') && row.includes('"webhook"')).length).toBeGreaterThan(0);
      expect(rows.filter((row) => row.includes('createAccountHolder'))).toHaveLength(1);
      expect(rows.filter((row) => row.includes(legalEntityId))).toEqual([]);
      for (const answer of [
        made,
        changed,
        await ask.get(path),
        // Retries.
        await ask.post('/accountHolders', { legalEntityId, description: 'shop' }, key),
        await ask.patch(path, { description: 'other shop' }, changes),
      ])
        expect(answer).toMatchObject({ status: 200, body: { legalEntityId } });
      expect((await ask.get('/balancePlatforms/DemoPlatform/accountHolders')).body.accountHolders).toContainEqual(
        expect.objectContaining({ id: made.body.id, legalEntityId }),
      );
    });

    test('no bank account that is issued for a key lies open in any table', async () => {
      const headers = { 'idempotency-key': 'the-key-of-the-account-in-question' };
      const asked = bankAccount(await account());
      const made = await ask.post('/paymentInstruments', asked, { headers });
      const { iban } = made.body.bankAccount;
      expect((await allRows()).filter((row) => row.includes(iban))).toEqual([]);
      expect((await ask.post('/paymentInstruments', asked, { headers })).body.bankAccount.iban).toBe(iban);
    });

    test('a sealed legal entity that was removed, or is that of another holder, is refused', async () => {
      const [holder] = [await makeHolder({ legalEntityId: 'LE-1' }), await makeHolder({ legalEntityId: 'LE-2' })];
      const path = `/accountHolders/${holder.id}`;
      const columns = ['key_id', 'data_key', 'sealed_payload'];
      for (const value of [
        (column: string) => `(select max(${column}) from account_holder where id <> '${holder.id}')`,
        () => 'null',
      ]) {
        const set = columns.map((column) => `${column} = ${value(column)}`).join(', ');
        await runText(engine, `update account_holder set ${set} where id = '${holder.id}'`);
        await expect(ask.get(path)).rejects.toThrow(SealBroken);
      }
    });

    test('a number that was issued before is drawn again', async () => {
      const drawn: string[] = [];
      const twice = await open();
      try {
        // Each draw of nine digits comes three times.
        const digits = (length: number) => {
          drawn.push('');
          return String(Math.floor((drawn.length - 1) / 6)).padStart(length, '0');
        };
        const broken = await gatewayOver(twice, { made: { randomDigits: digits } });
        const both = [furnished(broken), furnished(broken, callers.otherPlatform, 'OtherPlatform')];
        const shown = new Set<string>();
        for (const by of both) {
          const id = await account(by);
          for (let n = 0; n < 4; n += 1) {
            const asked = cardFor(id, { card: { ...virtual, usage: 'singleUse' } });
            shown.add((await by.post('/paymentInstruments', asked)).body.card.number);
          }
        }
        expect(shown.size).toBe(8);
        expect(drawn.length).toBeGreaterThan(16);
      } finally {
        await dispose(twice);
      }
    });

    test('a list of instruments filters by status and reports whether more follow', async () => {
      const id = await account();
      const ids: string[] = [];
      for (let n = 0; n < 6; n += 1) ids.push(await ask.instrument(id, { status: n % 2 ? 'inactive' : 'active' }));
      const list = async (query: string) => {
        const { paymentInstruments, ...pages } = (await ask.get(`/balanceAccounts/${id}/paymentInstruments${query}`))
          .body;
        return [paymentInstruments.map((each: { id: string }) => ids.indexOf(each.id)).sort(), pages];
      };
      expect(await list('?status=inactive')).toEqual([[1, 3, 5], { hasNext: false, hasPrevious: false }]);
      expect((await list('?status=active&limit=2'))[1]).toEqual({ hasNext: true, hasPrevious: false });
      expect((await list('?status=active&limit=2&offset=2'))[1]).toEqual({ hasNext: false, hasPrevious: true });
      expect(await list('?status=closed&offset=1')).toEqual([[], { hasNext: false, hasPrevious: false }]);
      expect(await list('')).toEqual([[0, 1, 2, 3, 4, 5], { hasNext: false, hasPrevious: false }]);
    });

    test('walking a list while others add to it meets each of its items once, in the order in which they came', async () => {
      const [id, elsewhere] = [await account(), await account()];
      let before: string[] = [];
      for (let n = 0; n < 40; n += 1) before.push(await ask.instrument(id));
      const walk = async () => {
        const seen: string[] = [];
        for (let hasNext = true; hasNext; ) {
          const { body } = await ask.get(`/balanceAccounts/${id}/paymentInstruments?limit=7&offset=${seen.length}`);
          seen.push(...body.paymentInstruments.map((each: { id: string }) => each.id));
          hasNext = body.hasNext && seen.length < before.length + 70;
          // Without it, reads alone would keep those who write from their turn.
          await setImmediate();
        }
        return seen;
      };
      let added = 0;
      const others = [id, id, elsewhere].map(async (each) => {
        for (; added < rowsAround; added += 1) await ask.instrument(each);
      });
      while (added < rowsAround) {
        const seen = await walk();
        expect(seen.slice(0, before.length)).toEqual(before);
        expect(new Set(seen).size).toBe(seen.length);
        before = seen;
      }
      await Promise.all(others);
    });

    test('what is moved to another list stands at its end', async () => {
      const [from, to] = [await account(), await account()];
      const inactive = { type: 'card', issuingCountryCode: 'NL', status: 'inactive', card: virtual };
      const moved = (await ask.post('/paymentInstruments', { ...inactive, balanceAccountId: from })).body.id;
      const there = [await ask.instrument(to), await ask.instrument(to)];
      await ask.patch(`/paymentInstruments/${moved}`, { balanceAccountId: to });
      const { body } = await ask.get(`/balanceAccounts/${to}/paymentInstruments`);
      expect(body.paymentInstruments.map((each: { id: string }) => each.id)).toEqual([...there, moved]);
    });

    test('what is sealed moves to another wrapping key, and is shown as before', async () => {
      const made = await ask.post('/paymentInstruments', bankAccount(await account()));
      const next = parseKeyRing(
        `k-new:${'44'.repeat(32)}\nk-test:${'11'.repeat(32)}\nindex:${'22'.repeat(32)}\npepper:${'33'.repeat(32)}\n`,
      );
      const rotation = createKeyRotation(engine, createWrapping(next), tables);
      const { moved, broken } = await rotation.rotate({ begun: () => {}, moved: () => {} });
      expect(broken.rows).toBe(0);
      expect(moved).toBeGreaterThan(0);
      const { id } = made.body;
      const stored = await gateway.parts.store.read((tx) =>
        tx.repository(ResourceReader).findResource(paymentInstruments, 'DemoPlatform', id),
      );
      expect(stored!.sealed!.keyId).toBe('k-new');
      const scope = { tenant: 'DemoPlatform', record: `paymentInstrument ${id}` };
      const opened = JSON.parse(createVault(next).open(scope, stored!.sealed!, 'payload'));
      expect(opened).toEqual({ iban: made.body.bankAccount.iban });
      const holders = await gateway.parts.store.read((tx) =>
        tx
          .repository(ResourceReader)
          .listResources(
            { kind: accountHolders, platform: 'DemoPlatform', parent: 'DemoPlatform' },
            { offset: 0, limit: 9 },
          ),
      );
      expect(holders.map((holder) => openHolder(holder, createVault(next)).legalEntityId)).toContain('LE1');
      expect(holders.map(({ sealed }) => sealed?.keyId)).toEqual(holders.map(() => 'k-new'));
    });
  });
}
