/** For every engine: a database with the schema of migration 9 and rows in every table migrates, and its rows are served. */

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { paymentInstruments } from '../../src/services/balance-platform/payment-instruments/kind.ts';
import { ResourceReader } from '../../src/services/balance-platform/store/repository.ts';
import {
  batchCycle,
  batchFile,
  batchResponse,
  batchWait,
  updaterCheck,
} from '../../src/services/recurring/account-updater/job-kinds.ts';
import { BatchedCheckRepository, createBatchQueue } from '../../src/services/recurring/account-updater/store/batch.ts';
import { CardChangeReader } from '../../src/services/recurring/account-updater/store/card-changes.ts';
import { DetailReader } from '../../src/services/recurring/store/repository.ts';
import { createRegistry } from '../../src/services/registry.ts';
import { type Engine, statement, type Value } from '../../src/store/sql/engine.ts';
import { createJobs } from '../../src/store/sql/jobs.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { migrations } from '../../src/store/sql/migrations/index.ts';
import { tables } from '../../src/store/sql/tables.ts';
import { createEndpoints } from '../../src/store/sql/webhook-endpoints.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { anna, pepper, sampleDetail, vault } from './samples.ts';
import type { EngineFactory } from './store.ts';

/** Whether a migration after these created the table. */
const isNewer = (table: string): boolean =>
  migrations.some(
    ({ number, statements }) => number > 10 && statements.some((sql) => sql.startsWith(`create table ${table} `)),
  );

type Rows = readonly (readonly [table: string, row: Readonly<Record<string, Value>>])[];

const later = Date.now() + 86_400_000;
const detail = sampleDetail('D1');
const { sealed } = detail;
const sealedColumns = { key_id: sealed.keyId, data_key: sealed.dataKey };
const announced = vault.seal({ tenant: 'Demo', record: 'announced F' }, { number: '4111111111111111' });
const instrument = { id: 'PI1', balanceAccountId: 'BA1', status: 'active', type: 'card', issuingCountryCode: 'NL' };
const demo = { company: 'Demo' };
const card = (expiryYear: string) => JSON.stringify({ lastFour: '1111', expiryMonth: '3', expiryYear });

const job = (id: string, kind: string, more: Readonly<Record<string, Value>> = {}): Rows[number] => [
  'job',
  { ...demo, job_id: id, kind, lane: id, place: 1, payload: '{}', created_at: 1, due_at: 1, ...more },
];

/** As the release before wrote them. */
const rowsOfMigration9: Rows = [
  ['merchant_account', { ...demo, code: 'DemoMerchant', created_at: 1 }],
  [
    'balance_platform',
    { ...demo, balance_platform: 'P', description: null, status: 'Active', time_zone: 'UTC', created_at: 1 },
  ],
  [
    'credential',
    {
      ...{ ...demo, credential_id: 'c', kind: 'apiKey', roles: '["recurring"]', created_at: 1 },
      merchant_accounts: '["DemoMerchant"]',
    },
  ],
  [
    'credential',
    {
      ...{ ...demo, credential_id: 'p', kind: 'apiKey', roles: '["balancePlatform"]', created_at: 2 },
      ...{ merchant_accounts: '[]', balance_platform: 'P' },
    },
  ],
  [
    'credential',
    {
      ...{ ...demo, credential_id: 's', kind: 'apiKey', roles: '["shop"]', created_at: 3 },
      merchant_accounts: '{"shop":["Corner"]}',
    },
  ],
  [
    'credential_secret',
    { ...demo, credential_id: 'c', secret_id: 's', lookup: 'l', salt: 'x', hash: 'x', created_at: 1 },
  ],
  ['shopper', { ...demo, merchant_account: 'DemoMerchant', shopper_reference: 'anna', created_at: 7, email: 'a@b.c' }],
  [
    'stored_detail',
    {
      ...{ ...demo, merchant_account: 'DemoMerchant', shopper_reference: 'anna', recurring_detail_reference: 'D1' },
      ...{ created_at: detail.createdAt, contracts: detail.contracts.join(), fingerprint: detail.fingerprint },
      ...{ open_part: JSON.stringify(detail.publicData), ...sealedColumns },
      ...{ sealed_number: sealed.number!, sealed_shown: sealed.payload! },
    },
  ],
  [
    'detail_change',
    {
      ...{ ...demo, recurring_detail_reference: 'D1', psp_reference: 'PSP1', changed_at: 3, changed_by: 'c' },
      ...{ outcome: 'CardExpiryChanged', before_part: card('2030'), after_part: card('2031') },
    },
  ],
  [
    'announced_change',
    {
      ...{ ...demo, fingerprint: 'F', status: 'replaced', expiry_month: '3', expiry_year: '2033', announced_at: 1 },
      ...{ key_id: announced.keyId, data_key: announced.dataKey, sealed_number: announced.number! },
    },
  ],
  [
    'webhook_endpoint',
    {
      ...{ ...demo, endpoint_id: 'we', url: 'https://shop.example.com/', format: 'tokenization', created_at: 1 },
      ...{ ...sealedColumns, sealed_key: 'k' },
    },
  ],
  job('check', 'check'),
  job('waiting', 'gather'),
  job('sent', 'answer', { holder: 'checks-1.jsonl', due_at: later }),
  job('checks-2.jsonl', 'file', { company: '' }),
  job('round', 'round', { company: '' }),
  job('PSP2/we', 'webhook', { lane: 'we/["DemoMerchant","anna"]' }),
  job('PSP3/we', 'webhook', { lane: 'we/["DemoMerchant","anna"]', place: 2, due_at: null }),
  job('PSP4/we', 'webhook', { lane: 'we/dead', due_at: null, given_up_at: 5, last_failure: 'no answer' }),
  [
    'account_holder',
    { balance_platform: 'P', id: 'AH1', status: 'active', revision: 1, record: '{"id":"AH1"}', listed_at: 1 },
  ],
  [
    'balance_account',
    {
      ...{ balance_platform: 'P', id: 'BA1', account_holder_id: 'AH1', status: 'active', revision: 1, listed_at: 1 },
      record: '{"id":"BA1","accountHolderId":"AH1"}',
    },
  ],
  [
    'payment_instrument',
    {
      ...{ balance_platform: 'P', id: 'PI1', balance_account_id: 'BA1', status: 'active', revision: 1, listed_at: 1 },
      ...{ record: JSON.stringify(instrument), number_fingerprint: 'N', ...sealedColumns },
      ...{ sealed_number: null, sealed_shown: 'sealed' },
    },
  ],
  ['import_progress', { source: 'f00d', rows_done: 500, updated_at: 1 }],
  [
    'journal',
    {
      ...{ scope: 'record-key', fingerprint: 'request-hash', operation: 'disable', psp_reference: 'PSP9' },
      ...{ outcome: '{}', created_at: 1, expires_at: later },
    },
  ],
];

export function describeUpgrade({ openEmpty, dispose }: EngineFactory): void {
  describe('a database of migration 9', () => {
    let engine: Engine;
    let store: Store;
    beforeEach(async () => {
      engine = await openEmpty();
      await migrate(engine, migrations.slice(0, 9));
      await engine.write(async (session) => {
        for (const [index, [table, row]] of rowsOfMigration9.entries()) {
          const columns = Object.keys(row);
          const values = columns.map((_, at) => `$${at + 1}`);
          const text = `insert into ${table} (${columns.join()}) values (${values.join()})`;
          await session.execute(statement(`test-insert-${index}`, text), Object.values(row));
        }
      });
      await migrate(engine);
      store = createStore(engine);
    });
    afterEach(() => dispose(engine));

    test('has rows in every table', async () => {
      for (const { name } of tables.filter((table) => !isNewer(table.name))) {
        const count = statement<{ readonly rows: number }>(
          `test-rows-of-${name}`,
          `select count(*) as rows from ${name}`,
        );
        const [counted] = await engine.read((session) => session.query(count, []));
        expect({ name, hasRows: counted!.rows > 0 }).toEqual({ name, hasRows: true });
      }
    });
    test('serves shoppers, details, histories and announcements', async () => {
      await store.read(async (tx) => {
        expect(await tx.repository(DetailReader).findDetail(anna, 'D1')).toEqual(detail);
        const listed = await tx.repository(DetailReader).findShopper(anna);
        expect(listed).toMatchObject({ createdAt: 7, email: 'a@b.c', details: [{ publicData: detail.publicData }] });
        const history = await tx.repository(CardChangeReader).findHistory(anna);
        expect(history?.details[0]?.changes[0]).toMatchObject({
          before: { expiryYear: '2030' },
          after: { expiryYear: '2031' },
        });
        expect(await tx.repository(CardChangeReader).findAnnouncement('Demo', 'F')).toMatchObject({
          sealed: { keyId: announced.keyId, dataKey: announced.dataKey, number: announced.number },
        });
      });
    });
    test('serves resources', async () => {
      await store.read(async (tx) => {
        expect(await tx.repository(ResourceReader).findResource(paymentInstruments, 'P', 'PI1')).toMatchObject({
          record: instrument,
          fingerprint: 'N',
          sealed: { ...{ keyId: sealed.keyId, dataKey: sealed.dataKey }, payload: 'sealed' },
        });
        expect(await tx.repository(ResourceReader).findPlatform('P')).toMatchObject({ company: 'Demo' });
      });
    });
    test('replays the outcomes of idempotency keys, and knows how far an import came', async () => {
      await store.read(async (tx) => {
        expect(await tx.idempotencyRecords.find('record-key')).toEqual({ requestHash: 'request-hash', outcome: '{}' });
        expect(await tx.importProgress.find('f00d')).toBe(500);
      });
      const record = { requestHash: 'other', operation: 'disable', requestReference: 'PSP10' };
      expect(await store.write((tx) => tx.idempotencyRecords.reserve('record-key', record))).toMatchObject({
        requestHash: 'request-hash',
      });
    });
    test('runs the jobs of every kind, once and in order', async () => {
      const jobs = createJobs(engine);
      await createBatchQueue(store).begin('batch');
      for (const [kind, ids] of [
        [updaterCheck, []],
        [batchWait, ['check', 'waiting']],
        [batchFile, ['checks-2.jsonl']],
        [batchCycle, ['batch-cycle']],
        [batchResponse, []],
      ] as const) {
        const taken = await jobs.take(kind, { leaseOwner: 'here', leaseMs: 60_000, max: 10 });
        expect({ kind, ids: taken.map(({ jobId }) => jobId).sort() }).toEqual({ kind, ids });
      }
      const sent = await store.read((tx) => tx.repository(BatchedCheckRepository).find('Demo', 'sent'));
      expect(sent).toMatchObject({ leaseOwner: 'checks-1.jsonl' });
      const takeWebhooks = () => jobs.take('webhook', { leaseOwner: 'here', leaseMs: 60_000, max: 10 });
      const [first, ...others] = await takeWebhooks();
      expect([first?.jobId, others]).toEqual(['PSP2/we', []]);
      expect(await createEndpoints(engine).findFor(first!)).toMatchObject({ endpointId: 'we' });
      const saveWebhook = (jobId: string) =>
        store.write((tx) =>
          tx.jobs.save({ tenant: 'Demo', jobId, kind: 'webhook', orderingKey: first!.orderingKey, payload: '{}' }),
        );
      await saveWebhook('PSP5/we');
      const order: string[] = [];
      for (let last = first; last !== undefined; [last] = await takeWebhooks()) {
        order.push(last.jobId);
        await createJobs(engine).end(last);
      }
      expect(order).toEqual(['PSP2/we', 'PSP3/we', 'PSP5/we']);
      await saveWebhook('PSP6/we');
      expect((await takeWebhooks()).map(({ jobId }) => jobId)).toEqual(['PSP6/we']);
      expect(await jobs.findDead('Demo', 'webhook', 10)).toMatchObject([{ jobId: 'PSP4/we', deadSince: 5 }]);
    });
    test('knows its credentials', async () => {
      expect(await createRegistry(engine, pepper, { now: () => 1 }).listCredentials()).toMatchObject([
        // It can look up tokens, as before the role was divided.
        { id: 'c', roles: ['recurring', 'recurring:lookup'], grants: { merchantAccount: ['DemoMerchant'] } },
        { id: 'p', roles: ['balancePlatform'], grants: { balancePlatform: ['P'] } },
        { id: 's', roles: ['shop'], grants: { shop: ['Corner'] } },
      ]);
      const partitions = statement<{ readonly tenant_partition: string | null }>(
        'test-partitions',
        'select tenant_partition from credential order by credential_id',
      );
      const found = await engine.read((session) => session.query(partitions, []));
      expect(found.map((row) => row.tenant_partition)).toEqual([null, 'P', null]);
    });
  });
}
