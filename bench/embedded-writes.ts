/** Measures writes on the embedded store, next to a bare Koa server that lists, in one run of alternating rounds. */
import { randomUUID } from 'node:crypto';
import { type Fleet, startFleet } from './fleet.ts';
import { type LoadOptions, putLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { type Finding, figuresOf, limited, type Measured, medianCpu, msOf, perSecond, table } from './results.ts';
import { describeRounds, inRounds, measureLoad } from './rounds.ts';
import type { Report } from './section.ts';
import type { TargetName } from './targets.ts';

const writersBesideReads = 32;
const readers = 4;

const kinds = ['without a key', 'with a key', 'replayed'] as const;
type Kind = (typeof kinds)[number];

/** Each shopper has one key in the rounds of replays, which the warm-up uses first. */
const replayedPrefix = randomUUID();

/** The parameters of load.lua. */
export function keysOf(kind: Kind): readonly string[] {
  switch (kind) {
    case 'without a key':
      return [];
    case 'with a key':
      return [randomUUID()];
    case 'replayed':
      return [replayedPrefix, 'replayed'];
    default:
      return kind satisfies never;
  }
}

/** Load on one target. */
export interface LoadCase {
  readonly label: string;
  readonly target: TargetName;
  readonly load: () => LoadOptions;
}

/** One caller and several, in each kind. */
export const writeCases: readonly LoadCase[] = kinds.flatMap((kind) =>
  [1, 32].map((connections) => ({
    label: `storeToken ${kind}, ${connections} caller${connections === 1 ? '' : 's'}`,
    target: 'triglyphWrite' as const,
    load: () => ({ connections, keys: keysOf(kind) }),
  })),
);

/** Writes that share an fsync are at least so many times those of one caller. */
const groupedMin = 2;
/** 300 us of a machine on which bare Koa took 218 us to list three cards with every field. */
const cpuOfKoaMax = 1.38;
const besideMsMax = 10;

interface Case extends LoadCase {
  /** Adds writers for the time of the round. */
  readonly besideWrites?: true;
}

const cases: readonly Case[] = [
  ...writeCases,
  {
    label: `listRecurringDetails, ${readers} callers, during writes by ${writersBesideReads}`,
    target: 'triglyphJson',
    load: () => ({ connections: readers }),
    besideWrites: true,
  },
  { label: 'bare Koa, listing, 32 callers', target: 'bareKoa', load: () => ({ connections: 32 }) },
];

type Results = ReadonlyMap<Case, readonly Measured[]>;

interface Plan {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly shoppers: number;
}

/** Starts the servers, measures and stops them. */
export async function measureEmbeddedWrites(folder: string, plan: Plan): Promise<Report> {
  const { rounds, seconds, warmUpSeconds, shoppers } = plan;
  const fleet = await startFleet(
    folder,
    { dataset: { shoppers, details: 3, fields: 'allButSealed' }, servers: ['triglyph', 'bareKoa'] },
    { executables: new Map(), missing: new Map() },
  );
  try {
    for (const each of cases) await measureCase(fleet, each, warmUpSeconds, shoppers);
    const results = await inRounds(cases, rounds, (each) => measureCase(fleet, each, seconds, shoppers));
    const head = `storeToken, ${shoppers} shoppers; ${describeRounds(plan)}. ${describeMachine()}`;
    return { text: [head, printCases(results)], findings: findingsOf(results) };
  } finally {
    await fleet.stop();
  }
}

async function measureCase(
  { targets, servers }: Fleet,
  { target: name, load, besideWrites }: Case,
  seconds: number,
  shoppers: number,
): Promise<Measured> {
  const target = targets[name];
  const meanwhile = besideWrites
    ? putLoad(targets.triglyphWrite, seconds + 1, shoppers, { connections: writersBesideReads })
    : undefined;
  const measured = measureLoad(servers.get(target.server)!, target, seconds, shoppers, load());
  return (await Promise.all([measured, meanwhile]))[0];
}

function printCases(results: Results): string {
  return table(
    ['request', 'requests/s', 'CPU per request, us', 'p50, ms', 'p99, ms'],
    [...results].map(([{ label, besideWrites }, rounds]) => {
      const { perSecond: rate, cpuUs, p50Ms, p99Ms } = figuresOf(rounds);
      // The CPU time during writes is that of both.
      return [label, rate, besideWrites ? '' : cpuUs, p50Ms, p99Ms];
    }),
  );
}

/** Ratios within the run, so that they need no other checkout. */
function findingsOf(results: Results): readonly Finding[] {
  const roundsOf = (label: string) => [...results].find(([each]) => each.label.startsWith(label))![1];
  const koa = medianCpu(roundsOf('bare Koa'));
  return [
    ...(['without a key', 'with a key'] as const).flatMap((kind): readonly Finding[] => {
      const many = roundsOf(`storeToken ${kind}, 32`);
      const grouped = perSecond(many) / perSecond(roundsOf(`storeToken ${kind}, 1 `));
      const cpu = medianCpu(many) / koa;
      return [
        limited(`storeToken ${kind}: requests/s, 32 callers against 1`, grouped, 'at least', groupedMin),
        limited(`storeToken ${kind}, 32 callers: CPU against a listing of bare Koa`, cpu, 'at most', cpuOfKoaMax),
      ];
    }),
    limited(
      'Listings during writes, p99',
      msOf(roundsOf('listRecurringDetails'), 'p99Us'),
      'at most',
      besideMsMax,
      'ms',
      1,
    ),
  ];
}
