/** Acknowledged writes survive kill -9. A seeded defect acknowledges before the commit, and loses writes. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { DetailReader } from '../../src/services/recurring/store/repository.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { createStore } from '../../src/store/store.ts';
import { anna } from '../integration/samples.ts';
import { Random } from '../simulation/random.ts';
import { repeatCommand, seed } from '../support/seed.ts';

const random = new Random(seed);
const writer = new URL('./durable-writer.ts', import.meta.url).pathname;
const rounds = 6;
/** A kill seldom falls between an acknowledgement and its commit on a slow machine: the control repeats until one does. */
const controlRoundsMax = 60;
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
  let dataDir: string;
  beforeAll(() => void process.stderr.write(`repeat with ${repeatCommand('test/fault/durable.test.ts')}\n`));
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'triglyph-durable-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  /** Kills the writer again and again, until a shopper is missing or the rounds are over. */
  const killUntilMissing = async (when: 'after' | 'before', roundsMax: number) => {
    const shoppers: number[] = [];
    let missing = 0;
    for (let round = 0; round < roundsMax && missing === 0; round += 1) {
      shoppers.push(...(await runAndKill(dataDir, (round + 1) * 1_000_000, when)));
      missing = (await findMissing(dataDir, shoppers)).length;
    }
    return { acknowledged: shoppers.length, missing };
  };

  test('no acknowledged write is lost', async () => {
    const { acknowledged, missing } = await killUntilMissing('after', rounds);
    expect(acknowledged).toBeGreaterThan(rounds);
    expect(missing).toBe(0);
  });
  test('seeded defect: writes that are acknowledged before the commit are lost', async () => {
    const { missing } = await killUntilMissing('before', controlRoundsMax);
    expect(missing).toBeGreaterThan(0);
  });
});
