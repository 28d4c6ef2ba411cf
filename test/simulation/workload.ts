/** What the clients of a run are to do, drawn from its seed: a few keys, and under each what it is for. */

import type { Errand } from './client.ts';
import type { Random } from './random.ts';
import { type Body, isAboutResources, mastercard, textOf, visa } from './request-body.ts';
import { firstAccountId, firstHolderId, firstInstrumentId, secondAccountId, secondHolderId } from './resource-body.ts';

const details: readonly Body[] = [
  { operation: 'storeToken', shopper: 'anna', card: visa, uses: ['PAYOUT'] },
  { operation: 'storeToken', shopper: 'bert', card: visa, uses: ['ONECLICK', 'RECURRING'] },
  { operation: 'storeToken', shopper: 'bert', card: mastercard, uses: ['RECURRING'] },
  { operation: 'scheduleAccountUpdater', shopper: 'anna', card: mastercard },
  { operation: 'scheduleAccountUpdater', shopper: 'bert', card: mastercard },
  { operation: 'disable', shopper: 'anna' },
  { operation: 'disable', shopper: 'anna', uses: ['RECURRING'] },
  { operation: 'disable', shopper: 'bert' },
];

/** A card, the accounts of its holder, and the holder. */
const belowFirstHolder: readonly Body[] = [
  { operation: 'createPaymentInstrument', balanceAccountId: firstAccountId, reference: 'one' },
  { operation: 'createPaymentInstrument', balanceAccountId: secondAccountId, reference: 'another' },
  { operation: 'updatePaymentInstrument', id: firstInstrumentId, status: 'active' },
  { operation: 'updatePaymentInstrument', id: firstInstrumentId, status: 'suspended' },
  { operation: 'cancelPaymentInstrument', id: firstInstrumentId },
  { operation: 'createBalanceAccount', accountHolderId: firstHolderId, reference: 'one' },
  { operation: 'updateBalanceAccount', id: firstAccountId, description: 'the first', status: 'suspended' },
  { operation: 'updateBalanceAccount', id: firstAccountId, status: 'closed' },
  { operation: 'updateBalanceAccount', id: secondAccountId, status: 'active' },
  { operation: 'updateBalanceAccount', id: secondAccountId, status: 'suspended' },
  { operation: 'updateBalanceAccount', id: secondAccountId, status: 'closed' },
  { operation: 'updateAccountHolder', id: firstHolderId, status: 'suspended' },
  { operation: 'updateAccountHolder', id: firstHolderId, status: 'active' },
  { operation: 'updateAccountHolder', id: firstHolderId, status: 'closed' },
];

/** Whichever account is its first one becomes the primary one; closed, it gets none. */
const belowSecondHolder: readonly Body[] = [
  { operation: 'createAccountHolder', reference: 'one' },
  { operation: 'createBalanceAccount', accountHolderId: secondHolderId, reference: 'one' },
  { operation: 'createBalanceAccount', accountHolderId: secondHolderId, reference: 'another' },
  { operation: 'updateAccountHolder', id: secondHolderId, description: 'the second' },
  { operation: 'updateAccountHolder', id: secondHolderId, status: 'closed' },
];

const all = [...details, ...belowFirstHolder, ...belowSecondHolder];
/** Most runs stay with a few things, so that requests meet there. */
const pools = [all, details, belowFirstHolder, belowSecondHolder] as const;

const dayMs = 24 * 60 * 60 * 1000;
/** At once, in flight, past the freshness of a claim, its lease, the records' time. */
const startsMs = [0, 0, 0, 1, 3, 10, 300, 2_500, 20_000, 4_000_000] as const;
const pastKeysMs = 32 * dayMs;

interface Purpose {
  readonly key: string;
  readonly right: Body;
  readonly wrong: Body;
}

export const purposesOf = (random: Random): readonly Purpose[] => {
  const pool = random.pick(pools);
  return Array.from({ length: 1 + random.below(3) }, (_, index) => {
    const right = random.pick(pool);
    // A key belongs to the company or to its balance platform: each may use the other's for something of its own.
    const others = pool.filter(
      (body) => textOf(body) !== textOf(right) && isAboutResources(body) === isAboutResources(right),
    );
    return { key: `key-${index + 1}`, right, wrong: random.pick(others) };
  });
};

export const errandsOf = (random: Random, purposes: readonly Purpose[], wrongShare: number): readonly Errand[] => {
  const errands = Array.from({ length: 1 + random.below(3) }, () => {
    const { key, right, wrong } = random.pick(purposes);
    const body = random.chance(wrongShare) ? wrong : right;
    return { afterMs: random.pick(startsMs), key, body, copies: random.chance(0.2) ? 2 : 1 };
  });
  return random.chance(0.1) ? [...errands, { ...random.pick(errands), afterMs: pastKeysMs }] : errands;
};
