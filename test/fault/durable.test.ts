/** Acknowledged writes survive kill -9. A seeded defect acknowledges before the commit, and loses writes. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { DetailReader } from '../../src/payments/recurring/store/repository.ts';
import { openSqlite } from '../../src/stores/sqlite/open.ts';
import { createStore } from '../../src/stores/store.ts';
import { anna } from '../integration/samples.ts';
import { Random } from '../simulation/random.ts';
import { repeatCommand, seed } from '../support/seed.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { isFoundWithin } from '../support/until.ts';

const random = new Random(seed);
const writer = new URL('./durable-writer.ts', import.meta.url).pathname;
const rounds = 6;
const liveMsMax = 400;

/** Runs the child, kills it after a random time, and returns the shoppers that it acknowledged. */
async function runAndKill(dataDir: string, start: number, acknowledged: 'after' | 'before'): Promise<number[]> {
  const child = spawn(process.execPath, [writer, dataDir, String(start), acknowledged], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output === '') setTimeout(() => child.kill('SIGKILL'), random.below(liveMsMax));
    output += text;
  });
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  return output.split('\n').slice(0, -1).map(Number);
}

/** Returns the shoppers without their detail: the transaction is lost, or half of it. */
async function findMissing(dataDir: string, shoppers: readonly number[]): Promise<number[]> {
  const engine = openSqlite({ dataDir, exclusive: true });
  try {
    return await createStore(engine).read(async (transaction) => {
      const missing: number[] = [];
      for (const shopper of shoppers) {
        const found = await transaction
          .repository(DetailReader)
          .findShopper({ ...anna, shopperReference: `shopper-${shopper}` });
        if (found?.details.length !== 1) missing.push(shopper);
      }
      return missing;
    });
  } finally {
    await engine.close();
  }
}

describe('kill -9 at a random time', () => {
  let folder: TempFolder;
  beforeAll(() => void process.stderr.write(`repeat with ${repeatCommand('test/fault/durable.test.ts')}\n`));
  afterEach(() => folder.discard());

  test('no acknowledged write is lost', async () => {
    folder = tempFolder({ onDisk: true });
    const shoppers: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      shoppers.push(...(await runAndKill(folder.path, round * 1_000_000, 'after')));
      expect(await findMissing(folder.path, shoppers)).toEqual([]);
    }
    expect(shoppers.length).toBeGreaterThanOrEqual(rounds);
  });
  test('seeded defect: writes that are acknowledged before the commit are lost', async () => {
    // In memory: on a slow disk a kill falls into the fsync, and the write is there already.
    folder = tempFolder();
    let round = 0;
    const isLost = async () => {
      round += 1;
      return (await findMissing(folder.path, await runAndKill(folder.path, round * 1_000_000, 'before'))).length > 0;
    };
    expect(await isFoundWithin(isLost)).toBe(true);
  });
});
