/** Owners of credentials and saved comparisons on every store. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { comparisonsMax } from '../../src/forward/comparisons.ts';
import type { CallerStores, OpenCallers } from './caller-stores.ts';

export function describeOwners(open: OpenCallers): void {
  describe('owners and comparisons', () => {
    let stores: CallerStores;
    let now = 1_700_000_000_000;
    const clock = { now: () => now };
    beforeEach(async () => {
      stores = await open();
    });
    afterEach(() => stores.close());

    test('a credential has one owner, who is replaced and removed', async () => {
      const owners = stores.owners(clock);
      expect(await owners.list()).toEqual([]);
      const anna = { credential: 'cr_b', name: 'Änna', address: 'anna@example.com', setBy: 'user root' };
      await owners.set(anna);
      await owners.set({ ...anna, credential: 'cr_a' });
      now += 1_000;
      await owners.set({ ...anna, name: 'Ben' });
      expect(await owners.list()).toEqual([
        { ...anna, credential: 'cr_a', setAt: now - 1_000 },
        { ...anna, name: 'Ben', setAt: now },
      ]);
      expect([await owners.remove('cr_b'), await owners.remove('cr_b')]).toEqual([true, false]);
      expect(await owners.list()).toHaveLength(1);
    });

    test('a comparison replaces the one of its name, and the oldest gives way', async () => {
      const comparisons = stores.comparisons(clock);
      for (let count = 0; count <= comparisonsMax; count += 1) {
        now += 1;
        await comparisons.save({ name: `c${count}`, result: { compared: count }, savedBy: 'user root' });
      }
      now += 1;
      await comparisons.save({ name: 'c5', result: { compared: 500 }, savedBy: 'user anna' });
      const list = await comparisons.list();
      expect(list).toHaveLength(comparisonsMax);
      expect(list[0]).toEqual({ name: 'c5', result: { compared: 500 }, savedAt: now, savedBy: 'user anna' });
      expect(list.map(({ name }) => name)).not.toContain('c0');
    });
  });
}
