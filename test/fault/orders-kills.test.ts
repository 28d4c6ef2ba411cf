/**
 * The orders example is killed under keyed load, and each key is sent again in another format: no effect doubled, none lost.
 * Handlers with their effect outside of the transaction are seeded defects. `ORDERS_KILLS=40` is the long run.
 */
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Random } from '../simulation/random.ts';
import { repeatCommand, seed } from '../support/seed.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { isFoundWithin } from '../support/until.ts';
import { placeOrdersUnderKills } from './orders-under-load.ts';

const random = new Random(seed);
const kills = Number(process.env.ORDERS_KILLS ?? 2);

let folder: TempFolder;
beforeAll(() => void process.stderr.write(`repeat with ${repeatCommand('test/fault/orders-kills.test.ts')}\n`));
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.discard());

test('every order is placed once, and its retry in another format is answered as the first request', async () => {
  const { keys, cutOff, ...wrong } = await placeOrdersUnderKills('the example', folder.path, kills, random);
  expect(keys).toBeGreaterThan(cutOff);
  expect(cutOff).toBeGreaterThan(0);
  expect(wrong).toEqual({ doubled: [], lost: [], refused: [] });
});

test.each([
  ['an effect outside', 'doubled'],
  ['a unique effect outside', 'refused'],
] as const)('seeded defect: %s of the transaction is found %s', async (program, aspect) => {
  const isFound = async () => {
    folder.discard();
    folder = tempFolder();
    return (await placeOrdersUnderKills(program, folder.path, 1, random))[aspect].length > 0;
  };
  expect(await isFoundWithin(isFound)).toBe(true);
});
