/** Turns measurements into tables and ratios, and compares them with the targets. */
import type { Round } from './load.ts';
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

/** The target ratios: the peer's CPU per request divided by ours. */
const targetRatios: readonly (readonly [ours: TargetName, peer: TargetName, name: string, least: number])[] = [
  ['triglyphSoap', 'soapPackage', 'SOAP against (a)', 2],
  ['triglyphSoap', 'bareKoa', 'SOAP against (b)', 0.7],
  ['triglyphJson', 'bareKoa', 'JSON against (b)', 0.8],
];

const ratio = (rounds: Rounds, ours: TargetName, peer: TargetName): number =>
  medianCpu(rounds.get(peer)!) / medianCpu(rounds.get(ours)!);

export const ratios = (rounds: Rounds): readonly Finding[] =>
  targetRatios.map(([ours, peer, name, least]) => {
    const measured = ratio(rounds, ours, peer);
    return { name, measured: measured.toFixed(2), limit: `at least ${least.toFixed(1)}`, holds: measured >= least };
  });

/** Ratios without a target: the same under harder conditions. */
const otherRatios: readonly (readonly [ours: TargetName, peer: TargetName, name: string])[] = [
  ['triglyphSoap', 'soapUnprefixed', 'SOAP against (a) without prefixes, whose answers are not valid'],
  ['uncachedSoap', 'soapPackage', 'SOAP against (a), every listing read from the database'],
  ['uncachedSoap', 'bareKoa', 'SOAP against (b), every listing read from the database'],
  ['uncachedJson', 'bareKoa', 'JSON against (b), every listing read from the database'],
];

export const printOtherRatios = (rounds: Rounds): string =>
  [
    '| ratio without a target | measured |',
    '|---|---:|',
    ...otherRatios.map(([ours, peer, name]) => `| ${name} | ${ratio(rounds, ours, peer).toFixed(2)} |`),
  ].join('\n');

export const printFindings = (findings: readonly Finding[]): string =>
  [
    '| target | measured | limit | met |',
    '|---|---:|---:|---|',
    ...findings.map(
      ({ name, measured, limit, holds }) => `| ${name} | ${measured} | ${limit} | ${holds ? 'yes' : 'NO'} |`,
    ),
  ].join('\n');
