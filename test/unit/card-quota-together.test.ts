/** Tests the quotas of stored cards where many stores wait for the database at the same time. */
import { describe, expect, test } from '@jest/globals';
import { createLimits } from '../../src/access/limits/limits.ts';
import { isLuhnValid } from '../../src/core/contract/check-digits.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import {
  type CardSearchLimits,
  createCardSearchLimits,
  type Searched,
} from '../../src/payments/recurring/card-search-limits.ts';
import { storeToken } from '../../src/payments/recurring/store-token.ts';
import { countedIds, now, ring } from '../support/fixture.ts';

const clock = { now: () => now };
const context = { clock, ids: countedIds(), vault: createVault(ring) };
const together = 80;

/** How many of 80 stores of similar cards show an alias, if all of them wait for the store at the same time. */
async function storedOf(limits: CardSearchLimits): Promise<number> {
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  const repository = {
    async addShopper() {
      waiting += 1;
      if (waiting === together) all.resolve();
      await all.promise;
      return true;
    },
    saveDetail: async () => {},
  };
  const tx = { repository: () => repository, outbox: { enqueue: async () => {} } };
  const store = storeToken(limits);
  const results = await Promise.allSettled(
    candidates().map(async (number, at) => {
      const request = {
        input: {
          merchantAccount: 'DemoMerchant',
          shopperReference: `shopper-${at}`,
          card: { number, expiryMonth: '8', expiryYear: '2031', holderName: 'Anna van Dijk' },
          recurring: { contract: ['RECURRING'] },
        },
        caller: { credential: 'checkout', tenant: 'Demo' },
        requestReference: `request-${at}`,
      };
      return await store(request as never, tx as never, context as never);
    }),
  );
  for (const each of results)
    if (each.status === 'rejected') expect(each.reason).toMatchObject({ problem: 'tooManyRequests' });
  return results.filter(({ status }) => status === 'fulfilled').length;
}

/** Valid numbers with the same first six and last four digits. */
function candidates(): readonly string[] {
  const found: string[] = [];
  for (let middle = 100_000; found.length < together; middle += 1) {
    const number = `411111${middle}1111`;
    if (isLuhnValid(number)) found.push(number);
  }
  return found;
}

const open = () =>
  createCardSearchLimits(
    { lookupMissesPerMinuteMax: 0, cardsStoredPerMinuteMax: 0, similarCardsPerDayMax: 50 },
    createLimits(clock, (text) => text),
  );

describe('80 stores of similar cards at the same time', () => {
  test('show no more aliases than the quota allows', async () => {
    expect(await storedOf(open())).toBe(50);
  });

  test('show all of them where the quota is checked before each store only', async () => {
    const limits = open();
    const checked = new Set<Searched>();
    const checkStore = (searched: Searched): void => {
      if (!checked.has(searched)) limits.checkStore(searched);
      checked.add(searched);
    };
    expect(await storedOf({ ...limits, checkStore })).toBe(together);
  });
});
