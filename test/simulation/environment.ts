/** What all simulated processes share and no fault touches: the seeded database and the updater. */
import type { HandlerContext } from '../../src/gateway/handler.ts';
import { createLocalUpdater } from '../../src/services/recurring/account-updater/announced-changes.ts';
import type { TransactionSession } from '../../src/store/sql/engine.ts';
import { createStore } from '../../src/store/store.ts';
import { resources } from '../resources/index.ts';
import { balancePlatform, timeZone } from '../resources/platform.ts';
import { merchantAccount } from '../resources/stored-detail-model.ts';
import { schemaTexts } from '../support/migrated.ts';
import { company } from './request.ts';
import { owner } from './scheduler.ts';
import { SimDatabase } from './sim-database.ts';
import { vault } from './vault.ts';

export const updater = createLocalUpdater(vault, { testCards: true });

/** The moment at which every run begins. */
export const epoch = Date.UTC(2026, 0, 15, 12, 30, 45);

/** Parents come first. */
const tables = [...resources.flatMap((resource) => resource.tables), 'idempotency_record', 'job', 'job_sequence'];

let seeded: Promise<SimDatabase> | undefined;

/** One database for all runs of this program, reset to its seeds. */
export async function freshDatabase(): Promise<SimDatabase> {
  seeded ??= createSeededDatabase();
  const database = await seeded;
  database.reset();
  return database;
}

/** Returns a function that restores the present state, as a failover to a standby that lags behind does. */
export function replicate(database: SimDatabase): () => void {
  for (const table of tables) {
    database.restore(`delete from standby_${table}`);
    database.restore(`insert into standby_${table} select * from ${table}`);
  }
  return () => {
    database.endAll();
    for (const table of tables.toReversed()) database.restore(`delete from ${table}`);
    for (const table of tables) database.restore(`insert into ${table} select * from standby_${table}`);
  };
}

/** Stores the seeds with the code under test, and creates a table for the copy of each. */
async function createSeededDatabase(): Promise<SimDatabase> {
  const database = new SimDatabase();
  for (const text of schemaTexts('sqlite')) database.exec(text);
  database.exec(
    `insert into merchant_account (company, code, created_at) values ('${company}', '${merchantAccount}', 0)`,
  );
  database.exec(
    `insert into balance_platform values ('${balancePlatform}', '${company}', null, 'Active', '${timeZone}', 0, null)`,
  );
  const transaction = database.begin(owner('template'), undefined, 0);
  const session: TransactionSession = {
    query: async (statement, parameters) => database.run(transaction, statement, parameters, false) as never,
    execute: async (statement, parameters) => database.run(transaction, statement, parameters, true) as number,
    executeDeferred: async (statement, parameters) => void database.run(transaction, statement, parameters, true),
    savepoint: (attempted) => attempted(),
  };
  const store = createStore({
    dialect: 'sqlite',
    read: (work) => work(session),
    write: (work) => work(session),
    close: async () => {},
  });
  const ids = {
    requestReference: () => '',
    reference: () => '',
    prefixedId: () => '',
    randomDigits: () => '',
  };
  const context: HandlerContext = { clock: { now: () => epoch }, ids, vault };
  await store.write(async (each) => {
    for (const resource of resources) await resource.seed(each, context);
  });
  if (!database.commit(transaction)) throw new Error('the seeds could not be committed');
  // Nothing delivers to these endpoints: the events stay in the table of jobs, where the auditor reads them.
  for (const format of ['tokenization', 'configuration'])
    database.exec(
      `insert into webhook_endpoint values ('${company}', 'we_${format}', 'https://shop.example.com/', '${format}', 'k', 'd', 's', 0, null, null)`,
    );
  for (const table of tables) database.exec(`create table standby_${table} as select * from ${table}`);
  database.keepState();
  return database;
}
