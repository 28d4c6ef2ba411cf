/** What was acknowledged is there after the process was killed; with a control that acknowledges too early and loses. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createDetailStore } from '../../src/services/recurring/store/repository.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { anna } from '../integration/samples.ts';

const writer = new URL('./durable-writer.ts', import.meta.url).pathname;
const rounds = 6;
const liveMsMax = 400;

/** Runs the child and kills it after a random while of writing; gives what it acknowledged in whole lines. */
async function runAndKill(dataDir: string, start: number, acknowledged: 'after' | 'before'): Promise<number[]> {
  const child = spawn(process.execPath, [writer, dataDir, String(start), acknowledged], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (told === '') setTimeout(() => child.kill('SIGKILL'), Math.random() * liveMsMax);
    told += text;
  });
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  return told.split('\n').slice(0, -1).map(Number);
}

/** Those of the shoppers whose detail is not there, or who have none beside it: half a unit. */
async function lost(dataDir: string, shoppers: readonly number[]): Promise<number[]> {
  const engine = openSqlite({ dataDir, exclusive: true });
  try {
    return await createDetailStore(engine).read(async (view) => {
      const missing: number[] = [];
      for (const shopper of shoppers) {
        const found = await view.findShopper({ ...anna, shopperReference: `shopper-${shopper}` });
        if (found?.details.length !== 1) missing.push(shopper);
      }
      return missing;
    });
  } finally {
    await engine.close();
  }
}

describe('killed at any moment', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'triglyph-durable-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const killRounds = async (acknowledged: 'after' | 'before') => {
    const shoppers: number[] = [];
    let missing = 0;
    for (let round = 0; round < rounds; round += 1) {
      shoppers.push(...(await runAndKill(dataDir, (round + 1) * 1_000_000, acknowledged)));
      missing = (await lost(dataDir, shoppers)).length;
    }
    return { told: shoppers.length, missing };
  };

  test('no acknowledged write is lost', async () => {
    const { told, missing } = await killRounds('after');
    expect(told).toBeGreaterThan(10 * rounds);
    expect(missing).toBe(0);
  });
  test('control: acknowledged before the commit, some are lost', async () => {
    const { told, missing } = await killRounds('before');
    expect(told).toBeGreaterThan(rounds);
    expect(missing).toBeGreaterThan(0);
  });
});
