/** What all simulated processes share and no fault touches: the database with its first shoppers, and the keys. */

import type { HandlerContext } from '../../src/gateway/handler.ts';
import { createRequestHasher } from '../../src/idempotency/request-hash.ts';
import { announcedUpdater, announcementOf } from '../../src/services/recurring/account-updater/announced-changes.ts';
import { saveDetail } from '../../src/services/recurring/save-detail.ts';
import { createDetailStore } from '../../src/services/recurring/store/repository.ts';
import type { Session } from '../../src/store/sql/engine.ts';
import { migrations } from '../../src/store/sql/migrations/index.ts';
import type { Transaction } from '../../src/store/transaction.ts';
import { parseKeyRing } from '../../src/vault/key-ring.ts';
import { createVault } from '../../src/vault/vault.ts';
import { company, mastercard, merchantAccount, visa } from './request-body.ts';
import { balancePlatform } from './resource-body.ts';
import { firstCard, firstResources, timeZone } from './resource-records.ts';
import { owner } from './scheduler.ts';
import { SimDatabase } from './sim-database.ts';

const ring = parseKeyRing(`k-test:${'11'.repeat(32)}\nindex:${'22'.repeat(32)}\npepper:${'33'.repeat(32)}\n`);
export const vault = createVault(ring);
export const updater = announcedUpdater(vault, { testCards: true });
export const marks = createRequestHasher(ring.index, 'test');

/** The moment at which every run begins. */
export const epoch = Date.UTC(2026, 0, 15, 12, 30, 45);

/** Of one card its issuer has told that the account was closed. */
export const closedCard = mastercard;

/** Who has what at first: `anna` both cards, `bert` nothing. */
export const firstDetails = [
  {
    shopper: 'anna',
    card: visa,
    uses: ['ONECLICK', 'RECURRING'],
    psp: '8815252013129012',
    reference: 'FIRST00000000001',
  },
  { shopper: 'anna', card: mastercard, uses: ['RECURRING'], psp: '8815252013129013', reference: 'FIRST00000000002' },
] as const;

/** Each before those that it belongs to. */
const tables = [
  ...['payment_instrument', 'balance_account', 'account_holder'],
  ...['job', 'journal', 'detail_change', 'stored_detail', 'shopper'],
] as const;

const furnishPlatform = async (unit: Transaction): Promise<void> => {
  const secret = { fingerprint: firstCard.fingerprint, sealed: { keyId: 'k-test', dataKey: 'never opened' } };
  for (const resource of firstResources) {
    const kept = { ...resource, platform: balancePlatform };
    await unit.addResource(resource.kind === 'paymentInstrument' ? { ...kept, ...secret } : kept);
  }
};

/** Puts the first details in by the real code, and keeps a copy of them. */
const furnish = async (database: SimDatabase): Promise<void> => {
  for (const { statements } of migrations) for (const text of statements) database.exec(text);
  database.exec(
    `insert into merchant_account (company, code, created_at) values ('${company}', '${merchantAccount}', 0)`,
  );
  database.exec(
    `insert into balance_platform values ('${balancePlatform}', '${company}', null, 'Active', '${timeZone}', 0)`,
  );
  const unit = database.begin(owner('template'), undefined, 0);
  const session: Session = {
    query: async (statement, parameters) => database.run(unit, statement, parameters, false) as never,
    execute: async (statement, parameters) => database.run(unit, statement, parameters, true) as number,
  };
  const store = createDetailStore({
    read: (work) => work(session),
    write: (work) => work({ ...session, savepoint: (attempted) => attempted() }),
    close: async () => {},
  });
  const references = {
    pspReference: () => '',
    recurringDetailReference: () => '',
    resourceId: () => '',
    randomDigits: () => '',
  };
  const world: HandlerContext = { clock: { now: () => epoch }, ids: references, updater, vault };
  await store.write(async (page) => {
    const closed = announcementOf({ number: closedCard, status: 'closed' }, company, vault);
    await furnishPlatform(page);
    await page.saveAnnouncement(company, closed, epoch);
    for (const { shopper, card: number, uses, psp, reference } of firstDetails)
      await saveDetail(
        { company, merchantAccount, shopperReference: shopper },
        {
          card: { number, expiryMonth: '03', expiryYear: '2030', holderName: 'Anna van Dijk' },
          contracts: uses,
          firstPspReference: psp,
          also: {},
          recurringDetailReference: reference,
        },
        page,
        world,
      );
  });
  if (!database.commit(unit)) throw new Error('the template was not kept');
  // Nobody delivers to them: what they would be told stays in the table of jobs, for the auditor to read.
  for (const format of ['tokenization', 'configuration'])
    database.exec(
      `insert into webhook_endpoint values ('${company}', 'we_${format}', 'https://shop.example.com/', '${format}', 'k', 'd', 's', 0)`,
    );
  for (const table of tables) database.exec(`create table template_${table} as select * from ${table}`);
};

let furnished: Promise<SimDatabase> | undefined;

/** One database for all runs of this program, brought back to its first state. */
export const freshDatabase = async (): Promise<SimDatabase> => {
  furnished ??= (async () => {
    const made = new SimDatabase();
    await furnish(made);
    return made;
  })();
  const database = await furnished;
  database.open.clear();
  database.validates = true;
  database.restore('begin');
  for (const table of tables) database.restore(`delete from ${table}`);
  for (const table of tables.toReversed()) database.restore(`insert into ${table} select * from template_${table}`);
  database.restore('commit');
  return database;
};
