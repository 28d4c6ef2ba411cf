/** What goes wrong in a run, drawn from its seed: each kind of fault often, seldom or never, so that no two hide each other. */
import type { Fate, Fates, Kind } from './port.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';
import type { Records } from './records.ts';
import { owner, type Scheduler } from './scheduler.ts';

const shares = [0, 0, 0.01, 0.04] as const;
const fatesOf: Readonly<Record<Kind, readonly Fate[]>> = {
  gate: ['error', 'timeout', 'lost', 'late', 'crashBefore', 'crashAfter'],
  statement: ['error', 'timeout', 'conflict', 'crashBefore', 'crashAfter'],
  commit: ['error', 'timeout', 'lost', 'late', 'conflict', 'crashBefore', 'crashAfter'],
  credentials: ['error', 'crashBefore', 'crashAfter'],
  // The matrix asks one; the runs by chance do not.
  updater: [],
};
/** A commit is one call among many, and the one that matters. */
const commitFactor = 3;

const dayMs = 24 * 60 * 60 * 1000;
const stopsMs = [100, 1_000, 4_000, 16_000, 40_000] as const;
const pausesMs = [1, 3, 10, 30, 300, 3_000] as const;

export interface Weather extends Fates {
  isCalm: boolean;
  /** How often an answer is lost on its way. */
  readonly lossShare: number;
  /** Lets things happen for a while; resolves when the calm has come. */
  storm(processes: readonly Process[], records: Records, scheduler: Scheduler): Promise<void>;
}

type Happening = (random: Random, processes: readonly Process[], records: Records, scheduler: Scheduler) => void;

const happenings: Readonly<Record<string, Happening>> = {
  'a process is killed': (random, processes) => random.pick(processes).crash(),
  'a process is stopped': (random, processes) => random.pick(processes).stop(random.pick(stopsMs)),
  'a clock is set': (random, processes) => {
    random.pick(processes).skewMs = (random.below(7) - 3) * dayMs;
  },
  'the records are lost': (_random, _processes, records) => records.flush(),
  'the records cannot be read': (_random, _processes, records) => records.spoil(false),
  'the records are forged': (_random, _processes, records) => records.spoil(true),
  'the records go back to what they were': (random, _processes, records, scheduler) => {
    const restore = records.copy();
    void scheduler.turn(owner('replica'), 'takes over', random.pick(pausesMs)).then(restore);
  },
  'the records cannot be reached': (random, _processes, records, scheduler) => {
    records.downUntil = scheduler.now + random.pick(pausesMs);
  },
};

export const weather = (random: Random): Weather => {
  const rates = new Map<string, number>();
  for (const kind of Object.keys(fatesOf) as Kind[])
    for (const fate of fatesOf[kind])
      rates.set(`${kind} ${fate}`, random.pick(shares) * (kind === 'commit' ? commitFactor : 1));
  const names = Object.keys(happenings).filter(() => random.chance(0.4));
  const count = names.length === 0 ? 0 : 1 + random.below(5);
  return {
    isCalm: false,
    lossShare: random.pick([0, 0.05, 0.2]),
    lateMs: () => random.pick([0, 1, 10, 100, 2_000, 20_000]),
    of(_point, kind) {
      if (this.isCalm) return 'well';
      for (const fate of fatesOf[kind]) if (random.chance(rates.get(`${kind} ${fate}`)!)) return fate;
      return 'well';
    },
    async storm(processes, records, scheduler) {
      const self = owner('weather');
      for (let at = 0; at < count; at += 1) {
        const name = random.pick(names);
        await scheduler.turn(self, name, random.pick(pausesMs));
        happenings[name]!(random, processes, records, scheduler);
      }
      await scheduler.turn(self, 'calm', 60_000);
      this.isCalm = true;
    },
  };
};
