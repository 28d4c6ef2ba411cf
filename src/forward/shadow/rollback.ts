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
  /** Requests that the upstream answered; those that it refused or failed. */
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
interface OperationCounts extends Record<Counter, number> {
  /** Since the last answer. */
  failedInARow: number;
  refusedInARow: number;
  /** Refusals since the last answer to any operation. */
  refusedSince: number;
  /** Requests that the upstream answered or refused since the first of these refusals. */
  asked: number;
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
/** So many requests at the upstream say how often it refuses. A refusal rolls nothing back before it was asked so often. */
const askedMin = 20;
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
    ...{ failedInARow: 0, refusedInARow: 0, refusedSince: 0, asked: 0, inFlight: 0 },
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
    each.asked += own.currentAnswered + own.currentBad;
  }
}

/** After a change of the switch, or of what may differ. What the upstream refuses still counts. */
export function restartCounts(counts: SwitchCounts): void {
  beginWindow(counts, 0);
  for (const each of Object.values(counts.operations))
    Object.assign(each, { failedInARow: 0, refusedInARow: 0, refusedSince: 0, asked: 0, inFlight: 0 });
}

/**
 * Whether a request may be sent to a shadow that must prove that it answers: it is counted as in flight. `full`: others are, and one of
 * them may prove it. `over`: the upstream answers, until the switch
 * is rolled back or it was asked often enough to judge refusals.
 */
export function admit(counts: SwitchCounts, operation: string, now: number): 'admitted' | 'full' | 'over' {
  const names = ['', operation];
  const both = names.map((name) => countsOf(counts, name));
  if (names.some((name) => isAtEnd(counts, name) || mustAskUpstream(counts, name))) return 'over';
  if (Math.abs(now - counts.sentAt) > inFlightMsMax)
    for (const each of Object.values(counts.operations)) each.inFlight = 0;
  const isFull = (name: string): boolean => {
    const { inFlight } = countsOf(counts, name);
    return inFlight > 0 && weightOf(counts, name) + (inFlight + 2) / failuresMax > 1 + rounding;
  };
  if (names.some(isFull)) return 'full';
  for (const each of both) each.inFlight += 1;
  counts.sentAt = now;
  return 'admitted';
}

/** Counts how a request ended. `isAdmitted`: it was counted as in flight. */
export function settle(counts: SwitchCounts, operation: string, outcome: SwitchOutcome, isAdmitted: boolean): void {
  const [all, own] = [countsOf(counts, ''), countsOf(counts, operation)];
  if (isAdmitted) for (const each of [all, own]) each.inFlight = Math.max(0, each.inFlight - 1);
  if (outcome === 'unproven') return;
  own[outcome] += 1;
  switch (outcome) {
    case 'answered':
      Object.assign(own, { failedInARow: 0, refusedInARow: 0 });
      all.failedInARow = 0;
      for (const each of Object.values(counts.operations)) each.refusedSince = 0;
      return;
    case 'failed':
      for (const each of [all, own]) each.failedInARow += 1;
      return;
    case 'refused': {
      const isFirst = own.refusedInARow === 0;
      const isFirstOfAll = sumOf(counts, (each) => each.refusedSince) === 0;
      if (isFirst) own.asked = 0;
      if (isFirstOfAll) all.asked = 0;
      // Those that were on the way say nothing more.
      if (isFirst || !mustAskUpstream(counts, operation)) own.refusedInARow += 1;
      if (isFirstOfAll || !mustAskUpstream(counts, '')) own.refusedSince += 1;
      return;
    }
    default:
      outcome satisfies never;
  }
}

/** Returns why the switch must be rolled back; undefined where it need not be. */
export function whyRollBack(counts: SwitchCounts, bound: RollbackBound): string | undefined {
  const { errors, differences, requestsMin } = bound;
  const all = ['answered', 'refused', 'failed', 'same', 'differing'] as const;
  const total = Object.fromEntries(all.map((name) => [name, sumOf(counts, (each) => each[name])]));
  for (const [operation, own] of Object.entries(counts.operations)) {
    const { answered, refused, failed, same, differing } = operation === '' ? { ...own, ...total } : own;
    const name = operation === '' ? '' : `${operation}: `;
    if (errors < 100 && isAtEnd(counts, operation))
      return `${name}${inARow(counts, operation)} requests in a row failed or were refused`;
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

function isAtEnd(counts: SwitchCounts, operation: string): boolean {
  return weightOf(counts, operation) >= 1 - rounding;
}

/** Whether one more refusal would roll back, and the upstream might refuse such requests as well. */
function mustAskUpstream(counts: SwitchCounts, operation: string): boolean {
  const own = countsOf(counts, operation);
  const isRefused = inARow(counts, operation) > own.failedInARow;
  return isRefused && own.asked < askedMin && weightOf(counts, operation) + weightOfRefusal(own) >= 1 - rounding;
}

/** Failures and refusals in a row. */
export function inARow(counts: SwitchCounts, operation: string): number {
  const { failedInARow, refusedInARow } = countsOf(counts, operation);
  return failedInARow + (operation === '' ? sumOf(counts, (each) => each.refusedSince) : refusedInARow);
}

/** What these weigh: a switch is rolled back at 1. */
function weightOf(counts: SwitchCounts, operation: string): number {
  const own = countsOf(counts, operation);
  const refused =
    operation === ''
      ? sumOf(counts, (each) => each.refusedSince * weightOfRefusal(each))
      : own.refusedInARow * weightOfRefusal(own);
  return own.failedInARow / failuresMax + refused;
}

/** An upstream that refuses often lets its successor refuse often. */
function weightOfRefusal({ currentAnswered, currentBad }: OperationCounts): number {
  const all = currentAnswered + currentBad;
  const chance = Math.log((currentBad + 1) / (all + 2)) / Math.log(chanceMax);
  return all < askedMin ? 1 / failuresMax : Math.min(1 / failuresMax, chance);
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
