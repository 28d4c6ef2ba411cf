/** Two thousand runs, each with its own weather: a key has one effect and one answer. And the defects that must be found. */
import { describe, expect, test } from '@jest/globals';
import { type Defect, defects } from './seeded-defects.ts';
import { explain, type Run, simulate } from './simulate.ts';

/** `SEED=n` begins there; what fails prints its own. */
const firstSeed = Number(process.env.SEED ?? 1);
const seedsMax = 2_000;
/** It takes some 20 s; a busy machine may take longer. */
const patienceMs = 240_000;
const seeds = Array.from({ length: seedsMax }, (_, index) => firstSeed + index);

/** What has to have happened in the two thousand, or nothing was tried: a part of a step, or an answer. */
const happened = [
  ...['error', 'timeout', 'lost', 'late', 'conflict'].map((fate) => `commit fails: ${fate}`),
  ...['error', 'timeout', 'lost', 'late'].map((fate) => `gate claim fails: ${fate}`),
  ...['gate settle fails: lost', 'gate release fails: lost', 'gate release answered', 'claim-scope fails: conflict'],
  ...['find-scope answered', 'save-detail answered', 'disable-detail answered', 'rollback to savepoint answered'],
  ...['payment_instrument', 'balance_account', 'account_holder'].flatMap((table) => [
    `add-${table} answered`,
    `change-${table} answered`,
  ]),
  ...['find-open-payment_instrument answered', 'find-open-balance_account answered'],
  ...['dies', 'stands still for 16000 ms', 'begins again', 'waits for a row', 'waits to write', 'gives up'],
  ...['a clock is set', 'the records are lost', 'the records are forged', 'the records cannot be read'],
  ...['the records cannot be reached', 'takes over'],
  ...[
    'ok',
    'contractNotFound',
    'finallyClosed',
    'illegalMove',
    'holderInUse',
    'holderNotActive',
    'accountHolderClosed',
    'accountInUse',
    'accountNotActive',
    'accountClosed',
    'keyReused',
    'inProgress',
    'unavailable',
    'internal',
    'lost',
    'nothing',
  ].map((outcome) => `: ${outcome}`),
];

test(
  `${seedsMax} seeds from ${firstSeed}: one effect, one answer, and nothing else is ever said`,
  async () => {
    const missing = new Set(happened);
    const counts = { keys: 0, requests: 0, commits: 0, replays: 0, laterLives: 0 };
    for (const seed of seeds) {
      const run = await simulate(seed);
      if (run.failures.length > 0) throw new Error(explain(run));
      for (const name of missing) if (run.trace.some((step) => step.endsWith(name))) missing.delete(name);
      counts.keys += run.times.size;
      counts.requests += run.journal.length;
      counts.commits += run.commits;
      counts.replays += run.journal.filter(({ answer }) => answer?.entry.replayed).length;
      counts.laterLives += [...run.times.values()].filter((times) => times > 1).length;
    }
    process.stdout.write(`simulation: ${seedsMax} seeds from ${firstSeed}, ${JSON.stringify(counts)}\n`);
    expect([...missing]).toEqual([]);
    expect(counts.laterLives).toBeGreaterThan(0);
  },
  patienceMs,
);

const traceOf = ({ trace }: Run): string => trace.join('\n');

test('a seed gives its run again, step by step, and no other seed does', async () => {
  const runs = seeds.slice(0, 20);
  const once = [];
  for (const seed of runs) once.push(traceOf(await simulate(seed)));
  for (const [index, seed] of runs.entries()) expect(traceOf(await simulate(seed))).toBe(once[index]);
  expect(new Set(once).size).toBe(runs.length);
});

/** How many runs it took. */
const hunt = async (defect: Defect): Promise<number> => {
  for (const [index, seed] of seeds.entries()) {
    const { failures } = await simulate(seed, defect);
    if (failures[0] !== undefined && defect.givenAwayBy.test(failures[0])) return index + 1;
  }
  return Number.POSITIVE_INFINITY;
};

describe('a gateway with a defect is found', () => {
  test.each(Object.entries(defects))(
    '%s',
    async (name, defect) => {
      const runs = await hunt(defect);
      process.stdout.write(`simulation: found after ${runs} runs: ${name}\n`);
      expect(runs).toBeLessThanOrEqual(seedsMax);
    },
    patienceMs,
  );
});
