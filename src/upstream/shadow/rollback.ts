/** Decides when a switch is rolled back, from what all gateways of a store count of both servers. */

/** When a switch is rolled back. */
export interface RollbackBound {
  /** Percent of the answers of the shadow that may fail. With 100, failures roll nothing back. */
  readonly errors: number;
  /** Percent of the compared answers that may differ in what is not accepted. */
  readonly differences: number;
  /** So many answers, or comparisons, are needed before a percentage counts. */
  readonly requestsMin: number;
  readonly windowMs: number;
}

/**
 * How a request of a caller ended at the shadow. `refused`: a write whose refusal the upstream might repeat. `unproven`: both servers failed.
 */
export type SwitchOutcome = 'answered' | 'refused' | 'failed' | 'unproven';

const counters = [
  /** Writes that the upstream answered; those that it refused or failed. */
  'currentAnswered',
  'currentBad',
  /** Requests of callers at the shadow, in the window. */
  'answered',
  'refused',
  'failed',
  /** Comparisons, in the window. */
  'same',
  'differing',
] as const;

/** What is added up. */
export type Counter = (typeof counters)[number];

/** Of one operation. */
export interface OperationCounts extends Record<Counter, number> {
  /** Failures and refusals since the last answer. */
  inARow: number;
  /** What these weigh: a switch is rolled back at 1. */
  weight: number;
  /** Requests at the shadow that must prove that it answers. */
  inFlight: number;
}

/** What the gateways of a store count of one shadow, as JSON. The empty name stands for all operations. */
export interface SwitchCounts {
  /** When the window began: milliseconds since the epoch. */
  since: number;
  /** When the last request was sent that is in flight: the process that counted it may have died. */
  sentAt: number;
  readonly operations: Record<string, OperationCounts>;
}

/** So many requests in a row may fail, and be at a shadow that has answered none of them. */
export const failuresMax = 5;
/** A refusal in a row is no chance when the upstream refuses so many in a row less often than once in a million. */
const chanceMax = 1e-6;
/** Standard deviations between the refusals of both servers. */
const deviationsMax = 3;
/** Older answers of the upstream count half. */
const currentMax = 10_000;
/** A request in flight is forgotten after this time. */
const inFlightMsMax = 60_000;

export function noCounts(): SwitchCounts {
  return { since: 0, sentAt: 0, operations: {} };
}

/** The counts of an operation, which are created. */
export function countsOf({ operations }: SwitchCounts, operation: string): OperationCounts {
  const found = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (found !== undefined) return found;
  const created: OperationCounts = {
    ...{ currentAnswered: 0, currentBad: 0, answered: 0, refused: 0, failed: 0, same: 0, differing: 0 },
    ...{ inARow: 0, weight: 0, inFlight: 0 },
  };
  operations[operation] = created;
  return created;
}

/** Adds what one process has counted, in a new window when the earlier one has passed. */
export function addCounts(counts: SwitchCounts, added: SwitchCounts, now: number, bound: RollbackBound): void {
  countsOf(counts, '');
  const requests = sumOf(counts, ({ answered, refused, failed }) => answered + refused + failed);
  // Few requests take longer than a window.
  const isOver = now - counts.since >= bound.windowMs && requests >= bound.requestsMin;
  if (isOver || now < counts.since || counts.since === 0) beginWindow(counts, now);
  merge(counts, added);
  for (const each of Object.values(counts.operations)) {
    if (each.currentAnswered + each.currentBad <= currentMax) continue;
    each.currentAnswered /= 2;
    each.currentBad /= 2;
  }
}

/** Adds counts to others, whatever their windows. */
export function merge(counts: SwitchCounts, added: SwitchCounts): void {
  for (const [operation, own] of Object.entries(added.operations)) {
    const each = countsOf(counts, operation);
    for (const counter of counters) each[counter] += own[counter];
  }
}

/** After a change of the switch, or of what may differ. What the upstream refuses still counts. */
export function restartCounts(counts: SwitchCounts): void {
  beginWindow(counts, 0);
  for (const each of Object.values(counts.operations)) Object.assign(each, { inARow: 0, weight: 0, inFlight: 0 });
}

/**
 * Whether a request may be sent to a shadow that must prove that it answers: it is counted as in flight. `full`: others are, and one of
 * them may prove it. `over`: the switch is rolled back.
 */
export function admit(counts: SwitchCounts, operation: string, now: number): 'admitted' | 'full' | 'over' {
  const both = [countsOf(counts, ''), countsOf(counts, operation)];
  if (both.some(isAtEnd)) return 'over';
  if (Math.abs(now - counts.sentAt) > inFlightMsMax)
    for (const each of Object.values(counts.operations)) each.inFlight = 0;
  if (both.some(({ weight, inFlight }) => weight + (inFlight + 1) / failuresMax > 1 + rounding)) return 'full';
  for (const each of both) each.inFlight += 1;
  counts.sentAt = now;
  return 'admitted';
}

/** Counts how a request ended. `isAdmitted`: it was counted as in flight. */
export function settle(counts: SwitchCounts, operation: string, outcome: SwitchOutcome, isAdmitted: boolean): void {
  const own = countsOf(counts, operation);
  const weight = outcome === 'failed' ? 1 / failuresMax : weightOfRefusal(own);
  for (const each of [countsOf(counts, ''), own]) {
    if (isAdmitted) each.inFlight = Math.max(0, each.inFlight - 1);
    if (outcome === 'unproven') continue;
    const isGood = outcome === 'answered';
    each.inARow = isGood ? 0 : each.inARow + 1;
    each.weight = isGood ? 0 : each.weight + weight;
  }
  if (outcome !== 'unproven') own[outcome] += 1;
}

/** Returns why the switch must be rolled back; undefined where it need not be. */
export function whyRollBack(counts: SwitchCounts, bound: RollbackBound): string | undefined {
  const { errors, differences, requestsMin } = bound;
  const all = ['answered', 'refused', 'failed', 'same', 'differing'] as const;
  const total = Object.fromEntries(all.map((name) => [name, sumOf(counts, (each) => each[name])]));
  for (const [operation, own] of Object.entries(counts.operations)) {
    const { answered, refused, failed, same, differing } = operation === '' ? { ...own, ...total } : own;
    const name = operation === '' ? '' : `${operation}: `;
    if (errors < 100 && isAtEnd(own)) return `${name}${own.inARow} requests in a row failed or were refused`;
    const requests = answered + refused + failed;
    if (isBeyond(failed, requests, errors, requestsMin)) return `${name}${failed} of ${requests} requests failed`;
    if (errors < 100 && refusesMore(own, bound)) {
      const { currentAnswered, currentBad } = own;
      return `${name}${refused + failed} of ${requests} requests were refused or failed, and ${Math.round(currentBad)} of ${Math.round(currentAnswered + currentBad)} at the upstream`;
    }
    if (isBeyond(differing, same + differing, differences, requestsMin))
      return `${name}${differing} of ${same + differing} answers differed`;
  }
  return undefined;
}

/** Fractions of five are inexact. */
const rounding = 1e-9;

function isAtEnd({ weight }: OperationCounts): boolean {
  return weight >= 1 - rounding;
}

/** An upstream that refuses often lets its successor refuse often. Without any refusal of the upstream, one weighs as a failure. */
function weightOfRefusal({ currentAnswered, currentBad }: OperationCounts): number {
  const share = currentBad === 0 ? 0 : currentBad / (currentAnswered + currentBad);
  return Math.min(1 / failuresMax, share === 0 ? 1 : Math.log(share) / Math.log(chanceMax));
}

/** Whether the shadow refuses a larger share than the upstream did, by more than chance. */
function refusesMore(own: OperationCounts, { errors, requestsMin }: RollbackBound): boolean {
  const { currentAnswered, currentBad, answered, refused, failed } = own;
  const [before, requests] = [currentAnswered + currentBad, answered + refused + failed];
  if (before < requestsMin || requests < requestsMin) return false;
  const share = currentBad / before;
  const deviation = Math.sqrt(share * (1 - share) * (requests + requests ** 2 / before));
  return refused + failed > requests * (share + errors / 100) + deviationsMax * deviation;
}

function isBeyond(part: number, all: number, percent: number, min: number): boolean {
  return all >= min && part * 100 > all * percent;
}

function beginWindow(counts: SwitchCounts, now: number): void {
  counts.since = now;
  for (const each of Object.values(counts.operations))
    Object.assign(each, { answered: 0, refused: 0, failed: 0, same: 0, differing: 0 });
}

function sumOf({ operations }: SwitchCounts, of: (each: OperationCounts) => number): number {
  return Object.values(operations).reduce((sum, each) => sum + of(each), 0);
}
