/** The outcomes of account-updater checks by the numbers of their cards, and a checker that reads each in the database. */
import { setTimeout as wait } from 'node:timers/promises';
import { appendLuhnDigit } from '../../src/core/contract/check-digits.ts';
import {
  batchCycle,
  batchFile,
  batchResponse,
  batchWait,
  updaterCheck,
} from '../../src/payments/recurring/account-updater/job-kinds.ts';
import type { Database } from './databases.ts';

/** The outcome of a card is chosen by the remainder of its number by 6. */
const outcomes = [
  'NoChange',
  'CardExpiryChanged',
  'PANChanged',
  'CloseAccount',
  'ContactCardAccountHolder',
  'Error',
] as const;
export type Outcome = (typeof outcomes)[number];

const numbered = (range: string, n: number): string => appendLuhnDigit(`${range}${String(n).padStart(9, '0')}`);
export const oldNumber = (n: number) => numbered('401200', n);
const newNumber = (n: number) => numbered('401288', n);
const nOf = (number: string) => Number(number.slice(6, 15));
export const outcomeOf = (n: number): Outcome => outcomes[n % outcomes.length]!;

/** The updater's answer for a card. */
export const updaterAnswer = (number: string): object => {
  const n = nOf(number);
  const result = outcomeOf(n);
  const expiry = { newExpiryMonth: '3', newExpiryYear: '2033' };
  if (result === 'CardExpiryChanged') return { result, ...expiry };
  return result === 'PANChanged' ? { result, newNumber: newNumber(n), ...expiry } : { result };
};

/** A check that was answered. */
export interface AnsweredCheck {
  readonly n: number;
  readonly reference: string;
  readonly pspReference: string;
  readonly result: string;
}

const waiting = `select count(*) as jobs from job where kind in ('${updaterCheck}', '${batchWait}', '${batchResponse}', '${batchFile}')`;
/** Makes jobs due, so that the test does not wait for leases of dead processes. */
const makeDue = `update job set due_at = due_at - 60000 where kind in ('${updaterCheck}', '${batchWait}', '${batchFile}', '${batchCycle}')`;

/** Makes jobs due until no check waits; returns how many still do after `msMax`. */
export const waitForChecks = async (database: Database, msMax: number): Promise<number> => {
  const deadline = Date.now() + msMax;
  for (;;) {
    const [row] = await database.query(waiting);
    const left = Number(row?.jobs);
    if (left === 0 || Date.now() > deadline) return left;
    await database.query(makeDue);
    await wait(250);
  }
};

const hasHistory: ReadonlySet<Outcome> = new Set([
  'CardExpiryChanged',
  'PANChanged',
  'CloseAccount',
  'ContactCardAccountHolder',
]);

/** Compares the database with the checks; returns one line for each fault. */
export const checkOutcomes = async (
  database: Database,
  checks: readonly AnsweredCheck[],
  left: number,
): Promise<readonly string[]> => {
  const faults: string[] = left === 0 ? [] : [`${left} checks never end`];
  const changes = await database.query('select recurring_detail_reference, psp_reference, outcome from detail_change');
  const details = await database.query(
    "select recurring_detail_reference, public_data, disabled_at from stored_detail where merchant_account = 'AcmeWeb'",
  );
  const byReference = Map.groupBy(changes, (row) => String(row.recurring_detail_reference));
  const stored = new Map(details.map((row) => [String(row.recurring_detail_reference), row]));
  let expected = 0;
  for (const { n, reference, pspReference } of checks) {
    const outcome = outcomeOf(n);
    const history = (byReference.get(reference) ?? []).map((row) => `${row.psp_reference} ${row.outcome}`);
    const expectedHistory = hasHistory.has(outcome) ? [`${pspReference} ${outcome}`] : [];
    expected += expectedHistory.length;
    if (history.join() !== expectedHistory.join())
      faults.push(`${outcome}: the history is ${history.join()} instead of ${expectedHistory.join()}`);
    const row = stored.get(reference);
    const { card } = JSON.parse(String(row?.public_data));
    const number = outcome === 'PANChanged' ? newNumber(n) : oldNumber(n);
    const year = outcome === 'PANChanged' || outcome === 'CardExpiryChanged' ? '2033' : '2029';
    if (card.number !== number.slice(-4) || card.expiryYear !== year)
      faults.push(`${outcome}: the card is another one`);
    if ((row?.disabled_at !== null) !== (outcome === 'CloseAccount'))
      faults.push(`${outcome}: the detail has the wrong status`);
  }
  if (changes.length !== expected) faults.push(`${changes.length} changes instead of ${expected}`);
  return faults;
};
