/** One run: everything in it is drawn from the seed, so that the same seed gives the same run. */
import type { Attempt } from './attempt.ts';
import { Auditor } from './auditor.ts';
import { runClient } from './client.ts';
import { epoch, freshDatabase } from './environment.ts';
import { weather } from './fault-plan.ts';
import { Process, type Surroundings, type Variant } from './process.ts';
import { Random } from './random.ts';
import { Records } from './records.ts';
import { countedReferences } from './references.ts';
import { owner, Scheduler } from './scheduler.ts';
import { errandsOf, purposesOf } from './workload.ts';

export interface Run {
  readonly seed: number;
  /** What must never be, and was. */
  readonly failures: readonly string[];
  readonly trace: readonly string[];
  readonly journal: readonly Attempt[];
  /** How many units were committed. */
  readonly commits: number;
  /** How often something was done under each key: once for each time that the key was known. */
  readonly times: ReadonlyMap<string, number>;
}

const dayMs = 24 * 60 * 60 * 1000;

const intact: Variant = (parts) => parts;

export interface Control {
  readonly variant?: Variant;
  /** The database lets units commit on what no longer holds. */
  readonly unvalidated?: boolean;
}

export const simulate = async (seed: number, { variant = intact, unvalidated = false }: Control = {}): Promise<Run> => {
  const random = new Random(seed);
  const scheduler = new Scheduler(random);
  const database = await freshDatabase();
  database.validates = !unvalidated;
  database.now = () => epoch + scheduler.now;
  const auditor = new Auditor(() => scheduler.now);
  let commits = 0;
  database.committed = (unit) => {
    commits += 1;
    auditor.committed(unit);
  };
  const forecast = weather(random);
  const records = new Records(() => scheduler.now);
  const surroundings: Surroundings = {
    scheduler,
    network: owner('network'),
    fates: forecast,
    database,
    records,
    isolation: random.pick(['serial', 'locking', 'optimistic'] as const),
    references: countedReferences(),
    variant,
    restartMs: () => random.pick([1, 50, 500]),
  };
  const processes = Array.from({ length: 1 + random.below(3) }, (_, index) => {
    const made = new Process(`process ${index + 1}`, surroundings);
    made.skewMs = (random.below(7) - 3) * dayMs;
    return made;
  });
  const purposes = purposesOf(random);
  const wrongShare = random.pick([0, 0.2, 0.5]);
  const journal: Attempt[] = [];
  const setting = {
    scheduler,
    random,
    processes,
    auditor,
    journal,
    isCalm: () => forecast.isCalm,
    lossShare: forecast.lossShare,
  };
  const clients = Array.from({ length: 2 + random.below(3) }, (_, index) =>
    runClient(`client ${index + 1}`, errandsOf(random, purposes, wrongShare), setting),
  );
  let over = false;
  void Promise.all([...clients, forecast.storm(processes, records, scheduler)]).then(() => {
    over = true;
  });
  await scheduler.run(() => over || auditor.failures.length > 0);
  if (auditor.failures.length === 0) {
    if (!over) auditor.fail('nobody can go on');
    auditor.finish(database);
  }
  const times = new Map(purposes.map(({ key }) => [key, auditor.times(key)]));
  return { seed, failures: auditor.failures, trace: scheduler.trace, journal, commits, times };
};

/** What to print of a run that must not be. */
export const explain = ({ seed, failures, trace }: Run): string =>
  [`seed ${seed}: ${failures[0]}`, `repeat it with SEED=${seed}; the last steps:`, ...trace.slice(-60)].join('\n');
