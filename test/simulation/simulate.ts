/** One run: everything in it is drawn from the seed, so that the same seed gives the same run. */
import type { Attempt } from './attempt.ts';
import { Auditor } from './auditor.ts';
import { type Body, firstInstrumentId as id, isAboutInstruments, mastercard, textOf, visa } from './body.ts';
import { type Errand, runClient } from './client.ts';
import { Process, type Surroundings, type Variant } from './process.ts';
import { Random } from './random.ts';
import { Records } from './records.ts';
import { countedReferences } from './references.ts';
import { owner, Scheduler } from './scheduler.ts';
import { weather } from './weather.ts';
import { epoch, freshDatabase } from './world.ts';

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

const bodies: readonly Body[] = [
  { operation: 'storeToken', shopper: 'anna', card: visa, uses: ['PAYOUT'] },
  { operation: 'storeToken', shopper: 'bert', card: visa, uses: ['ONECLICK', 'RECURRING'] },
  { operation: 'storeToken', shopper: 'bert', card: mastercard, uses: ['RECURRING'] },
  { operation: 'scheduleAccountUpdater', shopper: 'anna', card: mastercard },
  { operation: 'scheduleAccountUpdater', shopper: 'bert', card: mastercard },
  { operation: 'disable', shopper: 'anna' },
  { operation: 'disable', shopper: 'anna', uses: ['RECURRING'] },
  { operation: 'disable', shopper: 'bert' },
  { operation: 'createPaymentInstrument', reference: 'one' },
  { operation: 'createPaymentInstrument', reference: 'another' },
  { operation: 'updatePaymentInstrument', id, status: 'active' },
  { operation: 'updatePaymentInstrument', id, status: 'suspended' },
  { operation: 'cancelPaymentInstrument', id },
];

const dayMs = 24 * 60 * 60 * 1000;
/** At once, in flight, past the freshness of a claim, its lease, the records' time. */
const startsMs = [0, 0, 0, 1, 3, 10, 300, 2_500, 20_000, 4_000_000] as const;
const pastKeysMs = 32 * dayMs;

interface Purpose {
  readonly key: string;
  readonly right: Body;
  readonly wrong: Body;
}

const purposesOf = (random: Random): readonly Purpose[] =>
  Array.from({ length: 1 + random.below(3) }, (_, index) => {
    const right = random.pick(bodies);
    // A key belongs to the company or to its balance platform: each may use the other's for something of its own.
    const others = bodies.filter(
      (body) => textOf(body) !== textOf(right) && isAboutInstruments(body) === isAboutInstruments(right),
    );
    return { key: `key-${index + 1}`, right, wrong: random.pick(others) };
  });

const errandsOf = (random: Random, purposes: readonly Purpose[], wrongShare: number): readonly Errand[] => {
  const errands = Array.from({ length: 1 + random.below(3) }, () => {
    const { key, right, wrong } = random.pick(purposes);
    const body = random.chance(wrongShare) ? wrong : right;
    return { afterMs: random.pick(startsMs), key, body, copies: random.chance(0.2) ? 2 : 1 };
  });
  return random.chance(0.1) ? [...errands, { ...random.pick(errands), afterMs: pastKeysMs }] : errands;
};

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
