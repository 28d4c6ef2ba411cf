/** A thousand random runs: each key has one effect and one answer. Each seeded defect has to be found. */
import { describe, expect, test } from '@jest/globals';
import { resources } from '../resources/services.ts';
import { type SeededDefect, seededDefects } from './seeded-defects.ts';
import { explain, type Run, simulate } from './simulate.ts';

/** A failure prints its own seed. */
const firstSeed = Number(process.env.SEED ?? 1);
/** Fewer runs need not have seen everything. More are drawn where something rare is still missing. */
const allSeeds = 1_000;
const seedsMax = Number(process.env.SEEDS ?? allSeeds);
const seeds = Array.from({ length: seedsMax }, (_, index) => firstSeed + index);

/** What must happen in all runs together: the ends of steps and answers. */
const expectedSteps = [
  ...['error', 'timeout', 'lost', 'late', 'conflict'].map((failure) => `commit fails: ${failure}`),
  ...['error', 'timeout', 'lost', 'late'].map((failure) => `cache reserve fails: ${failure}`),
  ...['cache complete fails: lost', 'cache release fails: lost', 'cache release answered'],
  ...['reserve-record fails: conflict', 'find-unexpired-record answered', 'rollback to savepoint answered'],
  ...resources.flatMap(({ statements }) => statements.map((statement) => `${statement} answered`)),
  ...[
    'dies',
    'is stopped for 16000 ms',
    'begins again',
    'waits for a row',
    'waits to write',
    'gathers a group',
    'gives up',
  ],
  ...['a clock is set', 'the cache is flushed', 'the cache is forged', 'the cache is corrupted'],
  ...['the cache is unreachable', 'takes over', 'the standby falls behind', 'is promoted'],
  ...[
    ...['ok', 'keyReused', 'inProgress', 'unavailable', 'internal', 'lost', 'nothing'],
    ...resources.flatMap(({ refusals }) => refusals),
  ].map((outcome) => `: ${outcome}`),
];

test(`${seedsMax} seeds from ${firstSeed}: each key has one effect and one answer`, async () => {
  const missing = new Set(expectedSteps);
  const counts = { keys: 0, requests: 0, commits: 0, replays: 0, reusedAfterExpiry: 0 };
  const mostSeeds = seedsMax < allSeeds ? seedsMax : 3 * seedsMax;
  let drawn = 0;
  for (; drawn < seedsMax || (missing.size > 0 && drawn < mostSeeds); drawn++) {
    const run = await simulate(firstSeed + drawn);
    if (run.failures.length > 0) throw new Error(explain(run));
    for (const name of missing) if (run.trace.some((step) => step.endsWith(name))) missing.delete(name);
    counts.keys += run.executions.size;
    counts.requests += run.history.length;
    counts.commits += run.commits;
    counts.replays += run.history.filter(({ answer }) => answer?.entry.replayed).length;
    counts.reusedAfterExpiry += [...run.executions.values()].filter((count) => count > 1).length;
  }
  process.stdout.write(`simulation: ${drawn} seeds from ${firstSeed}, ${JSON.stringify(counts)}\n`);
  if (seedsMax < allSeeds) return;
  expect([...missing]).toEqual([]);
  expect(counts.reusedAfterExpiry).toBeGreaterThan(0);
});

const traceOf = ({ trace }: Run): string => trace.join('\n');

test('the same seed repeats its run step by step, and each seed has a run of its own', async () => {
  const runs = seeds.slice(0, 20);
  const traces: string[] = [];
  for (const seed of runs) traces.push(traceOf(await simulate(seed)));
  for (const [index, seed] of runs.entries()) expect(traceOf(await simulate(seed))).toBe(traces[index]);
  expect(new Set(traces).size).toBe(runs.length);
});

/** Returns how many runs it took to find the defect. */
async function countRunsUntilFound(defect: SeededDefect): Promise<number> {
  for (const [index, seed] of seeds.entries()) {
    const { failures } = await simulate(seed, defect);
    if (failures[0] !== undefined && defect.symptom.test(failures[0])) return index + 1;
  }
  return Number.POSITIVE_INFINITY;
}

if (seedsMax >= allSeeds)
  describe('each seeded defect is found', () => {
    test.each(Object.entries(seededDefects))('%s', async (name, defect) => {
      const runs = await countRunsUntilFound(defect);
      process.stdout.write(`simulation: found after ${runs} runs: ${name}\n`);
      expect(runs).toBeLessThanOrEqual(seedsMax);
    });
  });
