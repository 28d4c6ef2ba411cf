/** Measures writes on the embedded store, next to a bare Koa server that lists, in one run of alternating rounds. */
import { randomUUID } from 'node:crypto';
import { type Fleet, startFleet } from './fleet.ts';
import { type LoadOptions, putLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { type Finding, type Measured, median, medianCpu, printFindings } from './results.ts';
import type { Scenario } from './scenarios.ts';
import type { TargetName } from './targets.ts';

export const writersBesideReads = 32;
export const readers = 4;

export const kinds = ['without a key', 'with a key', 'replayed'] as const;
export type Kind = (typeof kinds)[number];

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

export interface WritePlan {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly shoppers: number;
}

/** Writes that share an fsync are at least so many times those of one caller. */
const groupedMin = 2;
/** 300 us of a machine on which bare Koa took 218 us to list three cards with every field. */
const cpuOfKoaMax = 1.38;
const besideMsMax = 10;

interface Case {
  readonly label: string;
  readonly target: TargetName;
  readonly load: () => LoadOptions;
  /** Adds writers for the time of the round. */
  readonly besideWrites?: true;
}

const cases: readonly Case[] = [
  ...kinds.flatMap((kind) => [writes(kind, 1), writes(kind, 32)]),
  {
    label: `listRecurringDetails, ${readers} callers, during writes by ${writersBesideReads}`,
    target: 'triglyphJson',
    load: () => ({ connections: readers }),
    besideWrites: true,
  },
  { label: 'bare Koa, listing, 32 callers', target: 'bareKoa', load: () => ({ connections: 32 }) },
];

export async function measureEmbeddedWrites(
  folder: string,
  { rounds, seconds, warmUpSeconds, shoppers }: WritePlan,
): Promise<{ readonly text: string; readonly holds: boolean }> {
  const scenario: Pick<Scenario, 'dataset' | 'servers'> = {
    dataset: { shoppers, details: 3, fields: 'allButSealed' },
    servers: ['triglyph', 'bareKoa'],
  };
  const fleet = await startFleet(folder, scenario, { executables: new Map(), missing: new Map() });
  try {
    const results = new Map<Case, Measured[]>(cases.map((each) => [each, []]));
    for (const each of cases) await measureCase(fleet, each, warmUpSeconds, shoppers);
    for (let round = 0; round < rounds; round += 1)
      for (const each of round % 2 === 0 ? cases : cases.toReversed()) {
        results.get(each)!.push(await measureCase(fleet, each, seconds, shoppers));
        process.stderr.write('.');
      }
    process.stderr.write('\n');
    const findings = findingsOf(results);
    const head = `storeToken, ${shoppers} shoppers; ${rounds} round${rounds === 1 ? '' : 's'} of ${seconds} s, alternating. ${describeMachine()}`;
    const text = [head, printCases(results), printFindings(findings)].join('\n\n');
    return { text, holds: findings.every(({ holds }) => holds) };
  } finally {
    await fleet.stop();
  }
}

function writes(kind: Kind, connections: number): Case {
  return {
    label: `storeToken ${kind}, ${connections} caller${connections === 1 ? '' : 's'}`,
    target: 'triglyphWrite',
    load: () => ({ connections, keys: keysOf(kind) }),
  };
}

async function measureCase(
  { targets, servers }: Fleet,
  { target: name, load, besideWrites }: Case,
  seconds: number,
  shoppers: number,
): Promise<Measured> {
  const target = targets[name];
  const server = servers.get(target.server)!;
  const meanwhile = besideWrites
    ? putLoad(targets.triglyphWrite, seconds + 1, shoppers, { connections: writersBesideReads })
    : undefined;
  const before = server.cpuUs();
  const [round] = await Promise.all([putLoad(target, seconds, shoppers, load()), meanwhile]);
  return { ...round, cpuUs: server.cpuUs() - before };
}

function printCases(results: ReadonlyMap<Case, readonly Measured[]>): string {
  return [
    '| request | requests/s | CPU per request, us | p50, ms | p99, ms |',
    '|---|---:|---:|---:|---:|',
    ...[...results].map(([{ label, besideWrites }, rounds]) => {
      // The CPU time during writes is that of both.
      const cpu = besideWrites ? '' : medianCpu(rounds).toFixed(0);
      return `| ${[label, perSecond(rounds).toFixed(0), cpu, msOf(rounds, 'p50Us').toFixed(1), msOf(rounds, 'p99Us').toFixed(1)].join(' | ')} |`;
    }),
  ].join('\n');
}

/** Ratios within the run, so that they need no other checkout. */
function findingsOf(results: ReadonlyMap<Case, readonly Measured[]>): readonly Finding[] {
  const roundsOf = (label: string) => [...results].find(([each]) => each.label.startsWith(label))![1];
  const koa = medianCpu(roundsOf('bare Koa'));
  const listingMs = msOf(roundsOf('listRecurringDetails'), 'p99Us');
  return [
    ...(['without a key', 'with a key'] as const).flatMap((kind): readonly Finding[] => {
      const many = roundsOf(`storeToken ${kind}, 32`);
      const grouped = perSecond(many) / perSecond(roundsOf(`storeToken ${kind}, 1 `));
      const cpu = medianCpu(many) / koa;
      return [
        {
          name: `storeToken ${kind}: requests/s, 32 callers against 1`,
          measured: grouped.toFixed(2),
          limit: `at least ${groupedMin}`,
          holds: grouped >= groupedMin,
        },
        {
          name: `storeToken ${kind}, 32 callers: CPU against a listing of bare Koa`,
          measured: cpu.toFixed(2),
          limit: `at most ${cpuOfKoaMax}`,
          holds: cpu <= cpuOfKoaMax,
        },
      ];
    }),
    {
      name: 'Listings during writes, p99',
      measured: `${listingMs.toFixed(1)} ms`,
      limit: `at most ${besideMsMax} ms`,
      holds: listingMs <= besideMsMax,
    },
  ];
}

export function perSecond(rounds: readonly Measured[]): number {
  return median(rounds.map(({ requests, us }) => (requests * 1e6) / us));
}

export function msOf(rounds: readonly Measured[], pick: 'p50Us' | 'p99Us'): number {
  return median(rounds.map((round) => round[pick])) / 1000;
}
