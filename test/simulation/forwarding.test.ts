/** Operations of another server: each effect once where it deduplicates, at most once where it does not, and every unknown one listed. */
import { setImmediate } from 'node:timers/promises';
import { test } from '@jest/globals';
import { openMigratedMemory } from '../support/migrated.ts';
import { type Forwarding, ForwardingRun, type ForwardingStore, sqlStore } from './forwarding.ts';
import { forwardingDefects } from './forwarding-defects.ts';

/** `SEED=n SEEDS=1` repeats a run: the failure names the seed. */
const firstSeed = Number(process.env.SEED ?? 1);
const seeds = Number(process.env.SEEDS ?? 100);
/** A defect that is not found within so many runs would need a better model. */
const controlSeedsMax = 600;

const runOf = async (
  seed: number,
  options: Omit<Forwarding, 'over' | 'seed'>,
  change = (over: ForwardingStore): ForwardingStore => over,
): Promise<readonly string[]> => {
  const engine = await openMigratedMemory(Date.now);
  try {
    const run = new ForwardingRun({ over: change(sqlStore(engine)), seed, ...options });
    const failures = await run.run();
    return failures.length === 0 ? [] : [...failures, ...run.trace];
  } finally {
    await engine.close();
  }
};

test.each([
  ['deduplicates', true, false],
  ['does not deduplicate', false, false],
  ['does not deduplicate, and can be asked for outcomes', false, true],
])('a server that %s', async (_, deduplicates, canBeAsked) => {
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const failures = await runOf(seed, { deduplicates, canBeAsked });
    if (failures.length > 0) throw new Error(`seed ${seed}: ${failures.join('\n')}`);
  }
});

const slowSeedsMax = 10;

/** Each fifth transaction waits for a connection, as on a busy machine. Its process may die meanwhile. */
const slowly = (over: ForwardingStore): ForwardingStore => {
  let writes = 0;
  const write: typeof over.store.write = async (work, options) => {
    writes += 1;
    if (writes % 5 === 0) for (let turns = 0; turns < 2_000; turns += 1) await setImmediate();
    return await over.store.write(work, options);
  };
  return { ...over, store: { ...over.store, write } };
};

test('a server that can be asked for outcomes, and transactions that take long', async () => {
  for (let seed = firstSeed; seed < firstSeed + Math.min(seeds, slowSeedsMax); seed += 1) {
    const failures = await runOf(seed, { deduplicates: false, canBeAsked: true }, slowly);
    if (failures.length > 0) throw new Error(`seed ${seed}: ${failures.join('\n')}`);
  }
});

test.each(Object.keys(forwardingDefects))('finds the seeded defect: %s', async (name) => {
  const { symptom, ...options } = forwardingDefects[name]!;
  for (let seed = 1; seed <= controlSeedsMax; seed += 1) {
    const failures = await runOf(seed, options);
    if (failures.some((each) => symptom.test(each))) return;
  }
  throw new Error(`${name} was not found in ${controlSeedsMax} runs`);
});
