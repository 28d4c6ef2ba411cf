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

const bounds = {
  'at most': (measured: number, limit: number) => measured <= limit,
  'at least': (measured: number, limit: number) => measured >= limit,
  below: (measured: number, limit: number) => measured < limit,
};

/** Compares a measured value with its limit. `digits`: behind the point, by default two for a ratio, and none for a value with a unit. */
export function limited(
  name: string,
  measured: number,
  bound: keyof typeof bounds,
  limit: number,
  unit = '',
  digits = unit === '' ? 2 : 0,
): Finding {
  const withUnit = (text: string) => (unit === '' ? text : `${text} ${unit}`);
  return {
    name,
    measured: withUnit(measured.toFixed(digits)),
    limit: `${bound} ${withUnit(String(limit))}`,
    holds: bounds[bound](measured, limit),
  };
}

/** A table in Markdown. All columns but the first are aligned to the right. */
export function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [heads, heads.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** The table of findings. */
export function printFindings(findings: readonly Finding[]): string {
  return table(
    ['target', 'measured', 'limit', 'met'],
    findings.map(({ name, measured, limit, holds }) => [name, measured, limit, holds ? 'yes' : 'NO']),
  );
}

/** The middle value; of an even number the mean of both. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Microseconds of CPU time for each request. */
export function medianCpu(rounds: readonly Measured[]): number {
  return median(rounds.map(cpuPerRequest));
}

function cpuPerRequest({ cpuUs, requests }: Measured): number {
  return cpuUs / requests;
}

/** Requests in a second. */
export function perSecond(rounds: readonly Measured[]): number {
  return median(rounds.map(({ requests, us }) => (requests * 1e6) / us));
}

/** A latency in milliseconds. */
export function msOf(rounds: readonly Measured[], pick: 'p50Us' | 'p99Us'): number {
  return median(rounds.map((round) => round[pick])) / 1000;
}

/** Figures of rounds as cells of a table. */
export function figuresOf(rounds: readonly Measured[]) {
  const cpu = rounds.map(cpuPerRequest);
  return {
    cpuUs: median(cpu).toFixed(0),
    spread: `${Math.min(...cpu).toFixed(0)} to ${Math.max(...cpu).toFixed(0)}`,
    perSecond: perSecond(rounds).toFixed(0),
    p50Ms: msOf(rounds, 'p50Us').toFixed(1),
    p99Ms: msOf(rounds, 'p99Us').toFixed(1),
    bytes: median(rounds.map(({ bytes, requests }) => bytes / requests)).toFixed(0),
  };
}

/** A row for each target. */
export function printRounds(targets: readonly Target[], rounds: Rounds): string {
  return table(
    [
      'server and format',
      'CPU per request, us',
      'lowest to highest',
      'requests/s',
      'p50, ms',
      'p99, ms',
      'bytes per answer',
    ],
    targets.map(({ name, label }) => [label, ...Object.values(figuresOf(rounds.get(name)!))]),
  );
}

function ratioOf(rounds: Rounds, { ours, peer }: Ratio): number {
  return medianCpu(rounds.get(peer)!) / medianCpu(rounds.get(ours)!);
}

/** The ratios that have a target. */
export function checkRatios(rounds: Rounds, ratios: readonly Ratio[]): readonly Finding[] {
  return ratios.flatMap((ratio) =>
    ratio.least === undefined ? [] : [limited(ratio.name, ratioOf(rounds, ratio), 'at least', ratio.least)],
  );
}

/** The ratios that have none. */
export function printOtherRatios(rounds: Rounds, ratios: readonly Ratio[]): string {
  const others = ratios.filter(({ least }) => least === undefined);
  return table(
    ['ratio without a target', 'measured'],
    others.map((ratio) => [ratio.name, ratioOf(rounds, ratio).toFixed(2)]),
  );
}
