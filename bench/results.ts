/** Turns measurements into tables and ratios, and compares them with the targets. */
import type { Round } from './load.ts';
import type { Ratio } from './scenarios.ts';
import type { Target, TargetName } from './targets.ts';

export interface Measured extends Round {
  /** CPU time of all threads of the server during the round. */
  readonly cpuUs: number;
}

export type Rounds = ReadonlyMap<TargetName, readonly Measured[]>;

/** A measured value, its limit, and whether it holds. */
export interface Finding {
  readonly name: string;
  readonly measured: string;
  readonly limit: string;
  readonly holds: boolean;
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

const cpuPerRequest = ({ cpuUs, requests }: Measured): number => cpuUs / requests;

export const medianCpu = (rounds: readonly Measured[]): number => median(rounds.map(cpuPerRequest));

const row = (label: string, rounds: readonly Measured[]): string => {
  const cpu = rounds.map(cpuPerRequest);
  const spread = `${Math.min(...cpu).toFixed(0)} to ${Math.max(...cpu).toFixed(0)}`;
  const of = (pick: (round: Measured) => number) => median(rounds.map(pick));
  const cells = [
    label,
    median(cpu).toFixed(0),
    spread,
    of(({ requests, us }) => (requests * 1e6) / us).toFixed(0),
    (of(({ p50Us }) => p50Us) / 1000).toFixed(1),
    (of(({ p99Us }) => p99Us) / 1000).toFixed(1),
    of(({ bytes, requests }) => bytes / requests).toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
};

export const printRounds = (targets: readonly Target[], rounds: Rounds): string =>
  [
    '| server and format | CPU per request, us | lowest to highest | requests/s | p50, ms | p99, ms | bytes per answer |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...targets.map(({ name, label }) => row(label, rounds.get(name)!)),
  ].join('\n');

const ratioOf = (rounds: Rounds, { ours, peer }: Ratio): number =>
  medianCpu(rounds.get(peer)!) / medianCpu(rounds.get(ours)!);

/** The ratios that have a target. */
export const checkRatios = (rounds: Rounds, ratios: readonly Ratio[]): readonly Finding[] =>
  ratios.flatMap((ratio) => {
    if (ratio.least === undefined) return [];
    const measured = ratioOf(rounds, ratio);
    const limit = `at least ${ratio.least.toFixed(2)}`;
    return [{ name: ratio.name, measured: measured.toFixed(2), limit, holds: measured >= ratio.least }];
  });

/** The ratios that have none. */
export const printOtherRatios = (rounds: Rounds, ratios: readonly Ratio[]): string => {
  const others = ratios.filter(({ least }) => least === undefined);
  return [
    '| ratio without a target | measured |',
    '|---|---:|',
    ...others.map((ratio) => `| ${ratio.name} | ${ratioOf(rounds, ratio).toFixed(2)} |`),
  ].join('\n');
};

export const printFindings = (findings: readonly Finding[]): string =>
  [
    '| target | measured | limit | met |',
    '|---|---:|---:|---|',
    ...findings.map(
      ({ name, measured, limit, holds }) => `| ${name} | ${measured} | ${limit} | ${holds ? 'yes' : 'NO'} |`,
    ),
  ].join('\n');
