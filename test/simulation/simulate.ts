/** One run of the simulation: everything in it is drawn from the seed, so that the same seed repeats the run. */
import type { Attempt } from './attempt.ts';
import { Auditor } from './auditor.ts';
import { CacheServer } from './cache-server.ts';
import { runClient } from './client.ts';
import { epoch, freshDatabase, replicate } from './environment.ts';
import { drawFaultPlan } from './fault-plan.ts';
import { createSequentialIds } from './ids.ts';
import { Process, type Surroundings, type Variant } from './process.ts';
import { Random } from './random.ts';
import { owner, Scheduler } from './scheduler.ts';
import type { SimDatabase } from './sim-database.ts';
import type { GroupDefect } from './sim-group.ts';
import { drawKeys, drawTasks } from './workload.ts';

export interface Run {
  readonly seed: number;
  /** Invariants that were broken. */
  readonly failures: readonly string[];
  readonly trace: readonly string[];
  readonly history: readonly Attempt[];
  /** How many transactions were committed. */
  readonly commits: number;
  /** How often a request was executed under each key: once for each time that the key was known. */
  readonly executions: ReadonlyMap<string, number>;
}

/** What a run changes in the system under test. */
export interface SystemVariant {
  readonly variant?: Variant;
  /** The database commits transactions that conflict. */
  readonly unvalidated?: boolean;
  readonly groupDefect?: GroupDefect;
}

const dayMs = 24 * 60 * 60 * 1000;
const unchanged: Variant = (parts) => parts;

export async function simulate(
  seed: number,
  { variant = unchanged, unvalidated = false, groupDefect }: SystemVariant = {},
): Promise<Run> {
  const random = new Random(seed);
  const scheduler = new Scheduler(random);
  const database = await freshDatabase();
  database.validates = !unvalidated;
  database.now = () => epoch + scheduler.now;
  const auditor = new Auditor(() => scheduler.now);
  let commits = 0;
  database.committed = (transaction) => {
    commits += 1;
    auditor.committed(transaction);
  };
  const faults = drawFaultPlan(random);
  const cacheServer = new CacheServer(() => scheduler.now);
  const surroundings: Surroundings = {
    scheduler,
    network: owner('network'),
    faults,
    database,
    cacheServer,
    isolation: random.pick(['serial', 'grouped', 'locking', 'optimistic'] as const),
    groupDefect,
    ids: createSequentialIds(),
    variant,
    restartMs: () => random.pick([1, 50, 500]),
  };
  const processes = Array.from({ length: 1 + random.below(3) }, (_, index) => {
    const process = new Process(`process ${index + 1}`, surroundings);
    process.skewMs = (random.below(7) - 3) * dayMs;
    return process;
  });
  const keys = drawKeys(random);
  const otherShare = random.pick([0, 0.2, 0.5]);
  const history: Attempt[] = [];
  const setting = {
    scheduler,
    random,
    processes,
    auditor,
    history,
    isCalm: () => faults.isCalm,
    lossShare: faults.lossShare,
  };
  const clients = Array.from({ length: 2 + random.below(3) }, (_, index) =>
    runClient(`client ${index + 1}`, drawTasks(random, keys, otherShare), setting),
  );
  let isOver = false;
  const targets = { processes, cacheServer, scheduler, replicate: createStandby(database, auditor) };
  void Promise.all([...clients, faults.run(targets)]).then(() => {
    isOver = true;
  });
  await scheduler.run(() => isOver || auditor.failures.length > 0);
  if (auditor.failures.length === 0) {
    if (!isOver) auditor.fail('no task can go on');
    auditor.finish(database);
  }
  const executions = new Map(keys.map(({ key }) => [key, auditor.executionCount(key)]));
  return { seed, failures: auditor.failures, trace: scheduler.trace, history, commits, executions };
}

/** The database and the auditor go back together. There is one standby: while it is behind, it falls no further behind. */
function createStandby(database: SimDatabase, auditor: Auditor): () => () => void {
  let isBehind = false;
  return () => {
    if (isBehind) return () => {};
    isBehind = true;
    const promote = replicate(database);
    const lose = auditor.replicate();
    return () => {
      isBehind = false;
      promote();
      lose();
    };
  };
}

/** The message of a failed run: what went wrong, how to repeat it, and its last steps. */
export function explain({ seed, failures, trace }: Run): string {
  return [
    `seed ${seed}: ${failures[0]}`,
    `repeat: SEED=${seed} SEEDS=1 npm run jest -- test/simulation/simulation.test.ts`,
    'the last steps:',
    ...trace.slice(-60),
  ].join('\n');
}
