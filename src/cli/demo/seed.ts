/** Puts the demo's data into the store: once, and later only what is missing. */

import type { Backend } from '../../app/backend.ts';
import type { HandlerContext } from '../../gateway/handler.ts';
import { saveDetail } from '../../services/recurring/save-detail.ts';
import { DetailRepository } from '../../services/recurring/store/repository.ts';
import type { ListedCredential } from '../../store/sql/credential-registry.ts';
import type { Transaction } from '../../store/transaction.ts';
import { seedPlatform } from './platform.ts';
import { demoAccounts, demoCredentials, demoPlatform } from './published.ts';
import { type DemoDetail, firstDetails, generatedShopper } from './shoppers.ts';

// How far the seeding went is kept in the unit of the rows themselves: what a caller has disabled does not come back.
const firstSeed = 'demo: first shoppers';
const generatedSeed = 'demo: generated shoppers';
const platformSeed = 'demo: balance platform';

/** Details of 100 shoppers in one unit: one fsync for 300 cards. */
const shoppersPerUnit = 100;

const keepAll = async (details: readonly DemoDetail[], tx: Transaction, world: HandlerContext): Promise<void> => {
  const now = world.clock.now();
  for (const [index, { key, detail }] of details.entries()) {
    const firstPspReference = world.ids.pspReference();
    // A millisecond apart, so that the oldest is the one that is named first.
    const createdAt = now - details.length + index;
    await saveDetail(key, { ...detail, firstPspReference, createdAt }, tx.repository(DetailRepository), world);
  }
};

const seedCredentials = async ({ registry }: Backend): Promise<void> => {
  for (const { company, code } of demoAccounts) await registry.addMerchantAccount(company, code);
  await registry.saveBalancePlatform(demoPlatform);
  const known = await registry.listCredentials();
  for (const { company, balancePlatform, shown } of demoCredentials) {
    const isKnown = (each: ListedCredential) =>
      each.company === company && each.kind === shown.kind && each.balancePlatform === balancePlatform;
    // A revoked one counts as there: whoever revoked it meant it.
    if (known.some(isKnown)) continue;
    const username = shown.kind === 'basic' ? shown.username : undefined;
    const ofCompany = demoAccounts.filter((each) => each.company === company).map(({ code }) => code);
    const { kind, secret } = shown;
    const scope =
      balancePlatform === undefined
        ? ({ roles: ['recurring'], merchantAccounts: ofCompany } as const)
        : ({ roles: ['balancePlatform'], merchantAccounts: [], balancePlatform } as const);
    await registry.addCredential({ company, kind, username, secret, ...scope });
  }
};

const seedOnPlatform = async ({ store: details, context: world }: Backend): Promise<void> => {
  if ((await details.read((tx) => tx.importProgress.find(platformSeed))) > 0) return;
  await details.write(async (tx) => {
    await seedPlatform(tx, world);
    await tx.importProgress.save(platformSeed, 1, world.clock.now());
  });
};

const seedFirst = async ({ store: details, context: world }: Backend): Promise<void> => {
  if ((await details.read((tx) => tx.importProgress.find(firstSeed))) > 0) return;
  await details.write(async (tx) => {
    await keepAll(firstDetails, tx, world);
    await tx.importProgress.save(firstSeed, firstDetails.length, world.clock.now());
  });
};

const seedGenerated = async ({ store: details, context: world }: Backend, wanted: number): Promise<number> => {
  const before = await details.read((tx) => tx.importProgress.find(generatedSeed));
  for (let done = before; done < wanted; ) {
    const last = Math.min(done + shoppersPerUnit, wanted);
    const numbers = Array.from({ length: last - done }, (_, index) => done + index + 1);
    await details.write(async (tx) => {
      for (const n of numbers) await keepAll(generatedShopper(n), tx, world);
      await tx.importProgress.save(generatedSeed, last, world.clock.now());
    });
    done = last;
  }
  return Math.max(0, wanted - before);
};

/** Gives how many generated shoppers were added. */
export const seed = async (room: Backend, shoppers: number): Promise<number> => {
  await seedCredentials(room);
  await seedFirst(room);
  await seedOnPlatform(room);
  return seedGenerated(room, shoppers);
};
