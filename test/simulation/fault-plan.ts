/** The fault plan of a run, drawn from its seed: each kind of fault often, seldom or never, so that none hides another. */
import type { CacheServer } from './cache-server.ts';
import type { CallFault, CallKind, FaultInjector } from './port.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';
import { owner, type Scheduler } from './scheduler.ts';

const shares = [0, 0, 0.01, 0.04] as const;
const faultsOf: Readonly<Record<CallKind, readonly CallFault[]>> = {
  cache: ['error', 'timeout', 'lost', 'late', 'crashBefore', 'crashAfter'],
  statement: ['error', 'timeout', 'conflict', 'crashBefore', 'crashAfter'],
  commit: ['error', 'timeout', 'lost', 'late', 'conflict', 'crashBefore', 'crashAfter'],
  credentials: ['error', 'crashBefore', 'crashAfter'],
  // Only the crash matrix asks an external updater.
  updater: [],
};
/** A commit is one call among many, and the one that matters. */
const commitFactor = 3;

const dayMs = 24 * 60 * 60 * 1000;
const stopsMs = [100, 1_000, 4_000, 16_000, 40_000] as const;
const pausesMs = [1, 3, 10, 30, 300, 3_000] as const;

export interface FaultPlan extends FaultInjector {
  /** Faults are over. */
  isCalm: boolean;
  /** The share of answers that are lost on their way. */
  readonly lossShare: number;
  /** Runs the events of the plan; resolves when faults are over. */
  run(targets: FaultTargets): Promise<void>;
}

/** What the events of the plan break. */
export interface FaultTargets {
  readonly processes: readonly Process[];
  readonly cacheServer: CacheServer;
  readonly scheduler: Scheduler;
  /** Copies the database to a standby, which receives no more; returns a function that promotes it. */
  replicate(): () => void;
}

type FaultEvent = (random: Random, targets: FaultTargets) => void;

const faultEvents: Readonly<Record<string, FaultEvent>> = {
  'a process is killed': (random, { processes }) => random.pick(processes).crash(),
  'a process is stopped': (random, { processes }) => random.pick(processes).stop(random.pick(stopsMs)),
  'a clock is set': (random, { processes }) => {
    random.pick(processes).skewMs = (random.below(7) - 3) * dayMs;
  },
  'the cache is flushed': (_, { cacheServer }) => cacheServer.flush(),
  'the cache is corrupted': (_, { cacheServer }) => cacheServer.corrupt(false),
  'the cache is forged': (_, { cacheServer }) => cacheServer.corrupt(true),
  'the cache fails over': (random, { cacheServer, scheduler }) => {
    const restore = cacheServer.snapshot();
    void scheduler.turn(owner('replica'), 'takes over', random.pick(pausesMs)).then(restore);
  },
  'the cache is unreachable': (random, { cacheServer, scheduler }) => {
    cacheServer.downUntil = scheduler.now + random.pick(pausesMs);
  },
  'the standby falls behind': (random, { replicate, scheduler }) => {
    const promote = replicate();
    void scheduler.turn(owner('standby'), 'is promoted', random.pick(pausesMs)).then(promote);
  },
};

export function drawFaultPlan(random: Random): FaultPlan {
  const rates = new Map<string, number>();
  for (const kind of Object.keys(faultsOf) as CallKind[])
    for (const fault of faultsOf[kind])
      rates.set(`${kind} ${fault}`, random.pick(shares) * (kind === 'commit' ? commitFactor : 1));
  const names = Object.keys(faultEvents).filter(() => random.chance(0.4));
  const count = names.length === 0 ? 0 : 1 + random.below(5);
  return {
    isCalm: false,
    lossShare: random.pick([0, 0.05, 0.2]),
    lateMs: () => random.pick([0, 1, 10, 100, 2_000, 20_000]),
    faultOf(_point, kind) {
      if (this.isCalm) return 'none';
      for (const fault of faultsOf[kind]) if (random.chance(rates.get(`${kind} ${fault}`)!)) return fault;
      return 'none';
    },
    async run(targets) {
      const { scheduler } = targets;
      const self = owner('fault plan');
      for (let at = 0; at < count; at += 1) {
        const name = random.pick(names);
        await scheduler.turn(self, name, random.pick(pausesMs));
        faultEvents[name]!(random, targets);
      }
      await scheduler.turn(self, 'faults are over', 60_000);
      this.isCalm = true;
    },
  };
}
