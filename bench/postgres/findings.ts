/** What the rounds say: a line for each operation and number of callers and endpoints, and whether the limits hold. */
import { type Finding, limited, table } from '../results.ts';
import type { Measured } from './callers.ts';

/** Of the throughput without an endpoint. */
const shareMin = 0.8;
/** Percent of the commits. */
const rollbacksMax = 5;

/** All rounds with the same operation, callers and endpoints. */
interface Cell {
  readonly operation: string;
  readonly endpoints: number;
  readonly callers: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly refused503: number;
  readonly otherFailures: number;
  readonly rollbackShare: number;
  readonly commitsEach: number;
  readonly cpuUs: number;
}

export function printRounds(measured: readonly Measured[]): string {
  const cells = cellsOf(measured);
  return table(
    [
      'operation, callers',
      'endpoints',
      'requests per second',
      'of those without endpoint',
      'p50 ms',
      'p99 ms',
      '503',
      'other failures',
      'rollbacks of commits',
      'commits per request',
      'server CPU per request, us',
    ],
    cells.map((cell) => [
      `${cell.operation}, ${cell.callers}`,
      cell.endpoints,
      cell.perSecond.toFixed(0),
      shareOf(cell, cells)?.toFixed(2) ?? '',
      cell.p50.toFixed(1),
      cell.p99.toFixed(1),
      cell.refused503,
      cell.otherFailures,
      `${(100 * cell.rollbackShare).toFixed(1)} %`,
      cell.commitsEach.toFixed(2),
      cell.cpuUs.toFixed(0),
    ]),
  );
}

export function findingsOf(measured: readonly Measured[]): readonly Finding[] {
  const cells = cellsOf(measured);
  return cells.flatMap((cell): readonly Finding[] => {
    const name = `${cell.operation}, ${cell.callers} callers, ${cell.endpoints} endpoints`;
    const share = shareOf(cell, cells);
    return [
      ...(share === undefined || cell.callers === 1
        ? []
        : [limited(`${name}: share of the throughput`, share, 'at least', shareMin)]),
      limited(`${name}: failures`, cell.refused503 + cell.otherFailures, 'at most', 0, '', 0),
      limited(`${name}: rollbacks of commits`, 100 * cell.rollbackShare, 'below', rollbacksMax, '%', 1),
    ];
  });
}

function shareOf(cell: Cell, cells: readonly Cell[]): number | undefined {
  const without = cells.find(
    ({ operation, callers, endpoints }) => operation === cell.operation && callers === cell.callers && endpoints === 0,
  );
  return cell.endpoints === 0 || without === undefined ? undefined : cell.perSecond / without.perSecond;
}

function cellsOf(measured: readonly Measured[]): readonly Cell[] {
  const groups = Map.groupBy(measured, ({ operation, callers, endpoints }) => `${operation} ${callers} ${endpoints}`);
  return [...groups.values()].map(cellOf).sort(byPlace);
}

function byPlace(one: Cell, other: Cell): number {
  return other.operation.localeCompare(one.operation) || one.callers - other.callers || one.endpoints - other.endpoints;
}

function cellOf(rounds: readonly Measured[]): Cell {
  const sum = (value: (round: Measured) => number) => rounds.reduce((total, round) => total + value(round), 0);
  const latencies = rounds.flatMap((round) => round.latencies).sort((one, other) => one - other);
  const at = (share: number) => latencies[Math.floor(share * latencies.length)] ?? Number.NaN;
  const { operation, endpoints, callers } = rounds[0]!;
  const answered = sum((round) => round.answered);
  return {
    operation,
    endpoints,
    callers,
    perSecond: answered / sum(({ seconds }) => seconds),
    p50: at(0.5),
    p99: at(0.99),
    refused503: sum((round) => round.refused503),
    otherFailures: sum((round) => round.otherFailures),
    rollbackShare: sum(({ rollbacks }) => rollbacks) / sum(({ commits }) => commits),
    commitsEach: sum(({ commits }) => commits) / answered,
    cpuUs: sum((round) => round.cpuUs) / answered,
  };
}
