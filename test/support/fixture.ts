/** The initial rows of a test gateway, and the credentials of its callers. */

import { Buffer } from 'node:buffer';
import type { IdGenerator } from '../../src/core/lib/clock-and-ids.ts';
import { parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import { announcementOf, createLocalUpdater } from '../../src/payments/recurring/account-updater/announced-changes.ts';
import { CardChangeRepository } from '../../src/payments/recurring/account-updater/store/card-changes.ts';
import { type NewDetail, saveDetail } from '../../src/payments/recurring/save-detail.ts';
import { DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import { RowIntegrity } from '../../src/stores/row-integrity.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { loadIntegrity } from '../../src/stores/sql/row-integrity-state.ts';
import { createStore } from '../../src/stores/store.ts';
import { migrate } from './migrated.ts';
import { createRegistry } from './services.ts';

/** The fixed time of the clock. */
export const now = Date.UTC(2026, 0, 15, 12, 30, 45);

export const ringText = `k-test:${'11'.repeat(32)}\nindex:${'22'.repeat(32)}\npepper:${'33'.repeat(32)}\n`;
export const ring = parseKeyRing(ringText);

/** Creates ids that count from 1. */
export const countedIds = (): IdGenerator => {
  let psp = 0;
  let detail = 0;
  let resource = 0;
  let drawn = 0;
  const numbered = (start: string, count: number) => start + String(count).padStart(16 - start.length, '0');
  return {
    requestReference: () => numbered('PSP', ++psp),
    reference: () => numbered('DETAIL', ++detail),
    prefixedId: (kind: string) => kind + String(++resource).padStart(23, '0'),
    // Long numbers, so that a test that searches for one finds no other.
    randomDigits: (length: number) => String(5_717_498_765_432 + ++drawn * 7_919_317).slice(-length),
  };
};

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

/** The credential headers of the callers. */
export const callers = Object.freeze({
  demo: basic('ws@Company.Demo:demo:password'),
  key: { 'x-api-key': 'demo-api-key' },
  other: { 'x-api-key': 'other-api-key' },
  withoutRole: basic('ws_1@Company.Demo:no-role-at-all'),
  /** Acts for DemoPlatform. */
  platform: basic('ws@BalancePlatform.Demo:platform-password'),
  platformKey: { 'x-api-key': 'demo-platform-key' },
  /** Acts for OtherPlatform, of the same company. */
  otherPlatform: { 'x-api-key': 'other-platform-key' },
  platformWithoutRole: basic('ws_2@BalancePlatform.Demo:no-role-either'),
  wrong: basic('ws@Company.Demo:demo'),
  anonymous: {},
});

const anna = 'Anna van Dijk';

/** shopper-1 at DemoMerchant has a visa card, a mc card and an account, in this order; shopper-2 has no details. */
const details: readonly NewDetail[] = [
  {
    card: { number: '4111111111111111', expiryMonth: '03', expiryYear: '2030', holderName: anna },
    contracts: ['ONECLICK', 'RECURRING'],
    firstPspReference: '8815252013129012',
    shopperEmail: 'shopper@example.com',
    also: { additionalData: { 'card.bin': '411111' }, name: 'My "first" card & more' },
    createdAt: Date.UTC(2020, 2, 1, 10, 53, 11),
    recurringDetailReference: '8313147988756818',
  },
  {
    card: { number: '5555444433331111', expiryMonth: '10', expiryYear: '2031', holderName: anna },
    contracts: ['RECURRING'],
    firstPspReference: '8815252013129013',
    also: {},
    createdAt: Date.UTC(2020, 6, 1, 10, 0, 0),
    recurringDetailReference: '8415995487234100',
  },
  {
    bank: { iban: 'NL13TEST0123456789', countryCode: 'NL', ownerName: 'Ánna van Dijk' },
    contracts: ['PAYOUT'],
    firstPspReference: '8815252013129014',
    also: {},
    createdAt: Date.UTC(2021, 0, 1),
    recurringDetailReference: '8814232895168272',
  },
];

/** Announcements of issuers: the visa card was renewed, the mc card was closed. */
const announced = [
  { number: '4111111111111111', newExpiryMonth: '08', newExpiryYear: '2034' },
  { number: '5555444433331111', status: 'closed' },
] as const;

/** The shopper whose details a gateway begins with. */
export const shopper1 = { company: 'Demo', merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };

const clock = { now: () => now };

const saveCredentials = async (engine: Engine, integrity: RowIntegrity): Promise<void> => {
  const registry = createRegistry(engine, ring.pepper, clock, undefined, undefined, integrity);
  for (const code of ['DemoMerchant', 'DemoMerchantNL']) await registry.addMerchantAccount('Demo', code);
  await registry.addMerchantAccount('Other', 'OtherMerchant');
  const demo = {
    tenant: 'Demo',
    grants: { merchantAccount: ['DemoMerchant', 'DemoMerchantNL'] },
    roles: ['recurring', 'recurring:lookup'],
  } as const;
  const other = {
    tenant: 'Other',
    grants: { merchantAccount: ['OtherMerchant'] },
    roles: ['recurring', 'recurring:lookup'],
  } as const;
  await registry.addCredential({ ...demo, kind: 'basic', secret: 'demo:password' });
  await registry.addCredential({ ...demo, kind: 'apiKey', secret: 'demo-api-key' });
  const username = 'ws_1@Company.Demo';
  await registry.addCredential({ ...demo, kind: 'basic', username, roles: [], secret: 'no-role-at-all' });
  await registry.addCredential({ ...other, kind: 'apiKey', secret: 'other-api-key' });

  for (const id of ['DemoPlatform', 'OtherPlatform'])
    await registry.saveBalancePlatform({ id, company: 'Demo', status: 'Active', timeZone: 'Europe/Amsterdam' });
  const actsFor = (balancePlatform: string) =>
    ({ tenant: 'Demo', grants: { balancePlatform: [balancePlatform] }, roles: ['balancePlatform'] }) as const;
  const platform = actsFor('DemoPlatform');
  await registry.addCredential({ ...platform, kind: 'basic', secret: 'platform-password' });
  await registry.addCredential({ ...platform, kind: 'apiKey', secret: 'demo-platform-key' });
  await registry.addCredential({ ...actsFor('OtherPlatform'), kind: 'apiKey', secret: 'other-platform-key' });
  const roleless = { username: 'ws_2@BalancePlatform.Demo', roles: [], secret: 'no-role-either' } as const;
  await registry.addCredential({ ...platform, ...roleless, kind: 'basic' });
};

const saveDetails = async (engine: Engine, integrity: RowIntegrity): Promise<void> => {
  const vault = createVault(ring);
  const context = { clock, ids: countedIds(), updater: createLocalUpdater(vault, { testCards: true }), vault };
  await createStore(engine, { shared: [integrity] }).write(async (transaction) => {
    for (const detail of details) await saveDetail(shopper1, detail, transaction.repository(DetailRepository), context);
    await transaction
      .repository(DetailRepository)
      .saveShopper({ ...shopper1, shopperReference: 'shopper-2' }, { createdAt: Date.UTC(2019, 0, 1) });
    for (const change of announced)
      await transaction
        .repository(CardChangeRepository)
        .saveAnnouncement('Demo', announcementOf(change, 'Demo', vault), now);
  });
};

/** Migrates an empty database and saves the companies, credentials, platforms and details. */
export const saveFixture = async (engine: Engine, integrity = new RowIntegrity()): Promise<void> => {
  await migrate(engine);
  await saveCredentials(engine, integrity);
  await saveDetails(engine, integrity);
};

/** The same with signed rows, for a gateway with row MACs. */
export const saveSignedFixture = async (engine: Engine): Promise<void> => {
  const integrity = new RowIntegrity();
  await migrate(engine);
  await loadIntegrity(engine, createVault(ring), integrity, { create: true });
  await saveFixture(engine, integrity);
};
