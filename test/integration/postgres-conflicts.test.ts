/** Transactions on PostgreSQL that have nothing to do with one another do not conflict, however small the tables are. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type BatchImporter, createBatchImporter } from '../../src/backend/import/import-batch.ts';
import { object } from '../../src/core/contract/schema.ts';
import { ids } from '../../src/core/lib/ids.ts';
import { recurringEvent } from '../../src/payments/recurring/events.ts';
import { type NewDetail, saveDetail } from '../../src/payments/recurring/save-detail.ts';
import { DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import type { EventBatch } from '../../src/stores/jobs/webhooks/event.ts';
import { keyScope } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import { openPostgres } from '../../src/stores/postgres/open.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { createJobs } from '../../src/stores/sql/jobs.ts';
import { createEndpoints } from '../../src/stores/sql/webhook-endpoints.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import type { Transaction } from '../../src/stores/transaction.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { webhookFormats } from '../support/services.ts';
import { isFoundWithin, until } from '../support/until.ts';
import { cardNumber, furnish, vault } from './samples.ts';

let server: Postgres;
let url: string;
let engine: Engine;
let store: Store;
beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  url = await server.createMigratedDatabase();
  engine = openPostgres({ url, poolMax: 20 });
  store = createStore(engine, { shared: [webhookFormats] });
  await furnish(engine);
  const endpointId = 'we_1';
  const sealed = vault.seal(keyScope({ tenant: 'Demo', endpointId }), { payload: 'ab'.repeat(32) });
  const endpoint = { tenant: 'Demo', endpointId, url: 'https://example.com/', format: 'tokenization', sealed };
  await createEndpoints(engine).add({ ...endpoint, createdAt: 1 });
});
afterEach(() => engine.close());
afterAll(() => server.discard());

const batchOf = (shopperReference: string, requestReference = shopperReference): EventBatch => ({
  tenant: 'Demo',
  requestReference,
  at: 1_583_059_991_000,
  events: [
    recurringEvent({
      kind: 'created',
      merchantAccount: 'DemoMerchant',
      shopperReference,
      recurringDetailReference: `${shopperReference}-detail`,
      variant: 'visa',
      firstPspReference: 'FIRST',
    }),
  ],
});

/**
 * Runs so many transactions that all have done their work before the first one commits; returns how often they began in all.
 * A conflict may end one in its work or at its commit.
 */
async function runTogether(
  count: number,
  work: (tx: Transaction, number: number) => Promise<unknown>,
): Promise<number> {
  const all = Promise.withResolvers<void>();
  let begun = 0;
  let worked = 0;
  await Promise.all(
    Array.from({ length: count }, (_, number) =>
      store.write(async (tx) => {
        begun += 1;
        await work(tx, number);
        worked += 1;
        if (worked === count) all.resolve();
        await all.promise;
      }),
    ),
  );
  return begun;
}

/** As events were saved before: the position is behind those that are there. */
const saveBehind = statement(
  'test-save-behind',
  `insert into job (tenant, job_id, kind, ordering_key, position, payload, created_at, due_at)
   select 'Demo', $1, 'webhook', $1, coalesce(max(position), 0) + 1, '{}', now_ms(), now_ms()
     from job where tenant = 'Demo' and ordering_key = $1`,
);

describe('events in transactions on PostgreSQL', () => {
  test('of different shoppers do not conflict', async () => {
    expect(await runTogether(8, (tx, number) => tx.outbox.enqueue(batchOf(`shopper-${number}`)))).toBe(8);
  });

  test('control: where a transaction reads the jobs of its ordering key, they conflict', async () => {
    let shoppers = 0;
    const saveOne = (tx: Transaction) => tx.execute(saveBehind, [`shopper-${shoppers++}`]);
    // Statements that a busy machine executes one after the other, and whose transactions commit in this order, do not.
    expect(await isFoundWithin(async () => (await runTogether(8, saveOne)) > 8)).toBe(true);
  });

  test('of different shoppers do not conflict with deliveries', async () => {
    const jobs = createJobs(engine);
    for (let number = 0; number < 8; number += 1)
      await store.write((tx) => tx.outbox.enqueue(batchOf(`earlier-${number}`)));
    const taken = await jobs.take('webhook', { leaseOwner: 'here', leaseMs: 60_000, max: 100 });
    expect(taken).toHaveLength(8);
    const runs = await runTogether(8, async (tx, number) => {
      await tx.outbox.enqueue(batchOf(`shopper-${number}`));
      await jobs.end(taken[number]!);
    });
    expect(runs).toBe(8);
  });

  test('of one shopper do not overlap: the second one runs again, and its event is behind', async () => {
    const both = Promise.withResolvers<void>();
    const runs: string[] = [];
    const save = (reference: string) =>
      store.write(async (tx) => {
        await tx.query(statement('test-read', 'select 1 as one'), []);
        runs.push(reference);
        if (runs.length === 2) both.resolve();
        await both.promise;
        await tx.outbox.enqueue(batchOf('anna', reference));
      });
    await Promise.all([save('P1'), save('P2')]);
    expect(runs).toHaveLength(3);
    const order = statement<{ readonly job_id: string }>('test-order', 'select job_id from job order by position');
    const jobs = await engine.read((session) => session.query(order, []));
    expect(jobs.at(-1)?.job_id).toBe(`${runs.at(-1)}/we_1`);
  });
});

describe('requests on PostgreSQL', () => {
  const context = { clock: { now: () => 1_583_059_991_000 }, vault, ids };
  const detail: NewDetail = {
    card: { number: cardNumber, expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk' },
    contracts: ['RECURRING'],
    firstPspReference: 'FIRST',
    also: {},
  };
  const storeFirst = (tx: Transaction, number: number) => storeToken(tx, `shopper-${number}`);
  /** All that storeToken with a key does in its transaction. */
  const storeToken = async (tx: Transaction, shopperReference: string) => {
    const key = { company: 'Demo', merchantAccount: 'DemoMerchant', shopperReference };
    const record = { requestHash: 'h', operation: 'storeToken', requestReference: `P-${shopperReference}` };
    await tx.idempotencyRecords.reserve(`key-${shopperReference}`, record);
    await tx.savepoint(() => saveDetail(key, detail, tx.repository(DetailRepository), context));
    await tx.outbox.enqueue(batchOf(shopperReference));
    await tx.idempotencyRecords.complete(`key-${shopperReference}`, '{}');
  };

  test('that store the first token of two shoppers do not conflict', async () => {
    expect(await runTogether(2, storeFirst)).toBe(2);
  });

  test('control: where both look for their shopper first, they conflict', async () => {
    const both = Promise.withResolvers<void>();
    let looked = 0;
    const runs = await runTogether(2, async (tx, number) => {
      const key = { company: 'Demo', merchantAccount: 'DemoMerchant', shopperReference: `shopper-${number}` };
      await tx.repository(DetailRepository).findShopper(key);
      looked += 1;
      if (looked === 2) both.resolve();
      await both.promise;
      await storeFirst(tx, number);
    });
    expect(runs).toBeGreaterThan(2);
  });
});

describe('imports on PostgreSQL', () => {
  const touch = statement('test-touch', 'update merchant_account set created_at = created_at + 1 where code = $1');
  const importer: BatchImporter<string> = (...parameters) =>
    createBatchImporter<string>(
      { store, clock: { now: () => 1 } },
      {
        sourcePrefix: '',
        schema: object('Row', {}),
        async save(code, tx) {
          await tx.execute(touch, [code]);
          return undefined;
        },
      },
      { source: 'file', dryRun: false },
    )(...parameters);
  const rows = [{ line: 1, row: 1, result: { row: 'DemoMerchant' } }] as const;
  const activity = (where: string) => server.ask(`select 1 from pg_stat_activity where ${where}`, [], url);

  test('wait for one another, as a transaction of a request does not (control)', async () => {
    // Locks the row, as a batch of another import does.
    const held = server
      .ask(
        `with held as (select 1 from merchant_account where code = 'DemoMerchant' for update) select pg_sleep(900) from held`,
        [],
        url,
      )
      .catch(() => {});
    await until('the lock', async () => (await activity(`wait_event = 'PgSleep'`)).length === 1);
    let isImported = false;
    const imported = importer(rows, () => {}).finally(() => {
      isImported = true;
    });
    await until('the import to wait', async () => (await activity(`wait_event_type = 'Lock'`)).length === 1);
    await expect(store.write((tx) => tx.execute(touch, ['DemoMerchant']))).rejects.toThrow('holds a lock');
    expect(isImported).toBe(false);
    await server.ask(`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`, [], url);
    expect(await imported).toEqual([]);
    await held;
  });
});

describe('a row that another transaction adds at the same moment', () => {
  const text = `insert into idempotency_record (record_key, request_hash, operation, request_reference, created_at, expires_at)
    values ($1, 'h', 'disable', 'alias of k', 1, 2)`;
  /** Another index than that of the key finds the row. */
  const add = async (options: { readonly waitMsMax?: number }): Promise<number> => {
    const added = statement('test-add-record', text, options);
    await engine.write((session) => session.execute(added, ['one']));
    let runs = 0;
    await engine.write(async (session) => {
      runs += 1;
      if (runs === 1) await session.execute(added, ['two']);
    });
    return runs;
  };

  test('lets a reservation run again', async () => expect(await add({ waitMsMax: 150 })).toBe(2));

  test('is an error of any other statement', async () => {
    await expect(add({})).rejects.toMatchObject({ code: '23505' });
  });
});
