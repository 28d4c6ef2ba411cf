/** What all simulated processes share and no fault touches: the seeded database and the handlers. */

import { createLimits } from '../../src/access/limits/limits.ts';
import { ownersOf, settingGroupsOf } from '../../src/backend/compose-services.ts';
import { readConfig } from '../../src/config/config.ts';
import type { HandlerContext } from '../../src/core/gateway/handler-context.ts';
import { recurringEventType } from '../../src/payments/recurring/events.ts';
import { RowIntegrity } from '../../src/stores/row-integrity.ts';
import type { TransactionSession } from '../../src/stores/sql/engine.ts';
import { openMemory } from '../../src/stores/sqlite/memory.ts';
import { createStore } from '../../src/stores/store.ts';
import { servedServices } from '../resources/served.ts';
import { resources, testServices } from '../resources/services.ts';
import { schemaTexts } from '../support/migrated.ts';
import { createSequentialIds } from './ids.ts';
import { company } from './request.ts';
import { owner } from './scheduler.ts';
import { SimDatabase } from './sim-database.ts';
import { vault } from './vault.ts';

/** The moment at which every run begins. */
export const epoch = Date.UTC(2026, 0, 15, 12, 30, 45);

/** Parents come first. */
const tables = [...resources.flatMap((resource) => resource.tables), 'idempotency_record', 'job', 'job_sequence'];

const context: HandlerContext = { clock: { now: () => epoch }, ids: createSequentialIds(), vault };
/** No handler uses it: each gets its transaction from the process. */
const engine = openMemory(context.clock.now);
/** The services over the parts of a server. They have no state, so that all processes share them. */
export const implementations = servedServices.map(
  (service) =>
    service.open({
      engine,
      store: createStore(engine),
      context,
      limits: createLimits(context.clock, (text) => text),
      integrity: new RowIntegrity(),
      config: readConfig('demo', { VOUCHERS_PER_MINUTE_MAX: '0' }, settingGroupsOf(servedServices)),
    }).implementation,
);

/** An endpoint gets the types of our own only if it names them. */
const recurringEventTypes = (
  ['created', 'alreadyExisting', 'updated', 'disabled', 'checked', 'permitCreated', 'permitDisabled'] as const
).map(recurringEventType);

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
  for (const text of schemaTexts('sqlite', ownersOf(servedServices))) database.exec(text);
  for (const text of testServices.flatMap(({ simulated }) => simulated.rows)) database.exec(text);
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
  await store.write(async (each) => {
    for (const resource of resources) await resource.seed(each, context);
  });
  if (!database.commit(transaction)) throw new Error('the seeds could not be committed');
  // Nothing delivers to these endpoints: the events stay in the table of jobs, where the auditor reads them.
  for (const [format] of servedServices.map(({ definition }) => definition.webhookFormats ?? []))
    if (format !== undefined) {
      const named = recurringEventTypes.filter((each) => format.accepts(each));
      const types = named.length === 0 ? 'null' : `',${named.join()},'`;
      database.exec(
        `insert into webhook_endpoint values ('${company}', 'we_${format.name}', 'https://shop.example.com/', '${format.name}', 'k', 'd', 's', 0, null, ${types}, null)`,
      );
    }
  for (const table of tables) database.exec(`create table standby_${table} as select * from ${table}`);
  database.keepState();
  return database;
}
