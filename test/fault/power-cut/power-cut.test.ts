/** Power cuts: only fsynced bytes survive, and whatever else the disk happened to write. No answered write is lost. */

import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Random } from '../../simulation/random.ts';
import { repeatCommand, seed } from '../../support/seed.ts';
import { createTempFolder } from '../../support/temp-folder.ts';
import { compileShim, runWithShim } from './shim.ts';
import type { Mode } from './writer.ts';

const random = new Random(seed);
const program = new URL('./writer.ts', import.meta.url).pathname;
const blockBytes = 512;
const rounds = 24;
/** Flushes of a child; it dies at one of them. */
const flushesMax = 40;

let toolFolder: string;
let library: string;
let parent: string;
let dataFolder: string;
let durableFolder: string;

beforeAll(() => {
  process.stderr.write(`repeat with ${repeatCommand('test/fault/power-cut/power-cut.test.ts')}\n`);
  toolFolder = createTempFolder();
  library = compileShim(toolFolder);
});
afterAll(() => rmSync(toolFolder, { recursive: true }));
beforeEach(() => {
  parent = createTempFolder();
  dataFolder = join(parent, 'data');
  durableFolder = join(parent, 'durable');
});
afterEach(() => rmSync(parent, { recursive: true }));

interface Lines {
  readonly found: readonly number[];
  readonly answered: readonly number[];
}

async function runChild(mode: Mode, start: number, dieAtFlush?: number): Promise<Lines> {
  const parameters = [dataFolder, mode, String(start)];
  const child = { program, parameters, dataFolder, durableFolder, ...(dieAtFlush !== undefined && { dieAtFlush }) };
  const lines = await runWithShim(library, child);
  const numbers = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => Number(line.split(' ')[1]));
  return { found: numbers('found'), answered: numbers('answered') };
}

/** Leaves what was fsynced, and each other block only by chance. `chance`: of a block that was written and not fsynced. */
function cutPower(chance: number): void {
  for (const name of readdirSync(dataFolder)) {
    if (!name.startsWith('triglyph.db') || name.endsWith('-shm')) {
      rmSync(join(dataFolder, name));
      continue;
    }
    const durable = join(durableFolder, name);
    const written = readFileSync(join(dataFolder, name));
    if (existsSync(durable)) copyFileSync(durable, join(dataFolder, name));
    const file = openSync(join(dataFolder, name), existsSync(durable) ? 'r+' : 'w');
    for (let at = 0; at < written.length; at += blockBytes)
      if (random.chance(chance)) writeSync(file, written.subarray(at, at + blockBytes), 0, undefined, at);
    closeSync(file);
  }
}

/** What is there after a cut is on the disk. The program that found the rows has written, too. */
function keepAll(): void {
  rmSync(durableFolder, { recursive: true });
  cpSync(dataFolder, durableFolder, { recursive: true });
}

/** The next program begins with an empty folder. */
function keepNothing(): void {
  for (const folder of [dataFolder, durableFolder]) rmSync(folder, { recursive: true, force: true });
}

/** The rows that a program finds which opens the database after the cut. */
function findRows(): { readonly whole: ReadonlySet<number>; readonly partial: readonly number[] } {
  const database = new DatabaseSync(join(dataFolder, 'triglyph.db'));
  const check = database.prepare('pragma integrity_check').get();
  const rows = database.prepare('select n, count(*) as parts from entry group by n').all();
  database.close();
  expect(Object.values(check!)).toEqual(['ok']);
  const ofParts = (holds: (parts: number) => boolean) =>
    rows.filter(({ parts }) => holds(Number(parts))).map(({ n }) => Number(n));
  return { whole: new Set(ofParts((parts) => parts === 2)), partial: ofParts((parts) => parts !== 2) };
}

/** Runs and kills children one after the other on the same data; returns how many answered entries were lost. */
async function cutRounds(mode: Mode): Promise<{ readonly answered: number; readonly lost: number }> {
  await runChild('write', 0, 30);
  cutPower(0);
  const answered: number[] = [];
  let lost = 0;
  for (let round = 1; round <= rounds && lost === 0; round += 1) {
    answered.push(...(await runChild(mode, round * 1_000, 2 + random.below(flushesMax))).answered);
    cutPower(random.pick([0, 0.5, 0.9]));
    const { whole, partial } = findRows();
    keepAll();
    expect(partial).toEqual([]);
    lost = answered.filter((n) => !whole.has(n)).length;
  }
  return { answered: answered.length, lost };
}

describe('power cuts at random fsyncs', () => {
  test('no answered write is lost, no refused or half one is there', async () => {
    const { answered, lost } = await cutRounds('write');
    expect(answered).toBeGreaterThan(10 * rounds);
    expect(lost).toBe(0);
  });
  test('seeded defect: writes that are answered before the commit are lost', async () => {
    expect((await cutRounds('early answer')).lost).toBeGreaterThan(0);
  });
});

test('seeded defect: without fsync an answered write is lost', async () => {
  await runChild('write', 0, 30);
  cutPower(0);
  const { answered } = await runChild('without fsync', 1_000);
  cutPower(0);
  expect(answered.filter((n) => !findRows().whole.has(n))).not.toEqual([]);
});

/** What a server shows after a kill between a write and its fsync is durable before it is shown. */
describe('a power cut after a kill during the fsync', () => {
  const foundThenCut = async (mode: Mode, dieAtFlush = 30) => {
    await runChild('write', 0, dieAtFlush);
    // The first fsync of the log is that of the opening.
    const { found } = await runChild(mode, 1_000, mode === 'write' ? 2 : undefined);
    cutPower(0);
    const { whole } = findRows();
    return found.filter((n) => !whole.has(n));
  };
  test('what the next process has found is still there', async () => {
    expect(await foundThenCut('write')).toEqual([]);
  });
  test('seeded defect: without the fsync at the opening it is lost', async () => {
    const lost: number[] = [];
    // An fsync may also be that of a checkpoint, before which the log is durable.
    for (let dieAtFlush = 30; lost.length === 0 && dieAtFlush < 40; dieAtFlush += 1) {
      lost.push(...(await foundThenCut('unflushed opening', dieAtFlush)));
      keepNothing();
    }
    expect(lost).not.toEqual([]);
  });
});

test('an fsync that fails: the outcome is unknown, then nothing is written, and the effect may be there', async () => {
  const failingFile = join(parent, 'failing');
  const parameters = [dataFolder, 'failing fsync', '1', failingFile];
  const lines = await runWithShim(library, { program, parameters, dataFolder, durableFolder, failingFile });
  expect(lines).toEqual(['written', 'CommitUnknown,CommitUnknown', 'StoreUnavailable', 'written']);
  // The process has died, and its bytes are still there: an answer "nothing was done" would have been wrong.
  expect([...findRows().whole]).toEqual([1, 2, 3]);
});
