/**
 * The positions of jobs within their ordering keys.
 *
 * Each ordering key with jobs has a row. Saving jobs changes it, so two transactions that save jobs of one key run one after the
 * other: the one that waited begins again. Nothing is read from the jobs, so transactions with different keys never conflict.
 */

import { compareTexts, memoize } from '../../core/lib/index.ts';
import { type Session, statement } from './engine.ts';
import { placeholders } from './row-values.ts';

/** The most jobs of one key that are saved at once. */
export const positionsMax = 128;

type SequenceRow = {
  readonly last_position: number;
};

interface Positions {
  /** The position of the last job that is saved; those before it have the ones before. */
  readonly last: number;
  /** No other job of the key waits or runs. */
  readonly isFree: boolean;
}

/** Takes `positionsMax` positions of a key. */
export async function takePositions(session: Session, tenant: string, orderingKey: string): Promise<Positions> {
  const [row] = await session.query(advance, [tenant, orderingKey]);
  return positionsOf(row!);
}

/** The positions that were taken with a statement that ends with `advancing`. */
export function positionsOf({ last_position: last }: SequenceRow): Positions {
  return { last, isFree: last === positionsMax };
}

/** The position of a job that was deleted, died or was revived. */
export interface JobPosition {
  readonly tenant: string;
  readonly orderingKey: string;
  readonly position: number;
}

/**
 * Makes the next job of each ordering key due. In a transaction that is `readCommitted`, each statement sees the jobs of a
 * transaction that the one before has waited for.
 */
export async function continueSequences(session: Session, ended: readonly JobPosition[]): Promise<void> {
  if (ended.length === 0) return;
  // Sorted for the same reason.
  const sorted = ended.toSorted(
    (one, other) => compareTexts(one.tenant, other.tenant) || compareTexts(one.orderingKey, other.orderingKey),
  );
  const values = sorted.flatMap(({ tenant, orderingKey, position }) => [tenant, orderingKey, position]);
  const deleted = await session.execute(endSequences(ended.length), values);
  if (deleted === ended.length) return;
  const keys = sorted.flatMap(({ tenant, orderingKey }) => [tenant, orderingKey]);
  const continued = await session.execute(makeNextDue(ended.length), keys);
  if (deleted + continued === ended.length) return;
  // A revived job ran at the same time as another one of its key, so the position of the last to end says nothing.
  await session.execute(lockSequences(ended.length), keys);
  await session.execute(deleteEmptySequences(ended.length), keys);
  await session.execute(makeNextDue(ended.length), keys);
}

/** Makes new jobs of an ordering key wait for a revived one: the key has no sequence where no other job was alive. */
export async function resumeSequence(session: Session, revived: JobPosition): Promise<void> {
  await session.execute(resume, [revived.tenant, revived.orderingKey, revived.position]);
}

const resume = statement(
  'resume-sequence',
  `insert into job_sequence (tenant, ordering_key, last_position) values ($1, $2, $3)
   on conflict (tenant, ordering_key) do nothing`,
);

/** The end of an insertion with `positionsMax` as the last position. */
export const advancing = `on conflict (tenant, ordering_key) do update
  set last_position = job_sequence.last_position + ${positionsMax}
  returning last_position`;

const advance = statement<SequenceRow>(
  'advance-sequence',
  `insert into job_sequence (tenant, ordering_key, last_position) values ($1, $2, ${positionsMax}) ${advancing}`,
);

const hasNoLivingJob = `not exists (select 1 from job j where j.tenant = job_sequence.tenant
                          and j.ordering_key = job_sequence.ordering_key and j.dead_since is null)`;

/** Where the position is the last one, no other job waits. A dead job that was revived may have the same position. */
const endSequences = memoize((count: number) =>
  statement(
    `end-sequences-${count}`,
    `delete from job_sequence
      where (tenant, ordering_key, last_position) in (values ${placeholders(count, ['', '', 'bigint'])})
        and ${hasNoLivingJob}`,
  ),
);

/** Waits for transactions that save jobs of these keys. Those that come later wait for this one, and then begin again. */
const lockSequences = memoize((count: number) =>
  statement(
    `lock-sequences-${count}`,
    `update job_sequence set last_position = last_position
      where (tenant, ordering_key) in (values ${placeholders(count, ['', ''])})`,
  ),
);

const deleteEmptySequences = memoize((count: number) =>
  statement(
    `delete-empty-sequences-${count}`,
    `delete from job_sequence
      where (tenant, ordering_key) in (values ${placeholders(count, ['', ''])})
        and ${hasNoLivingJob}`,
  ),
);

/** The next job of each ordering key, where none of them is due or taken. */
const makeNextDue = memoize((count: number) =>
  statement(
    `make-next-jobs-due-${count}`,
    `update job set due_at = now_ms()
      where dead_since is null and due_at is null and (tenant, ordering_key, position) in
        (select tenant, ordering_key, min(position) from job
          where dead_since is null and (tenant, ordering_key) in (values ${placeholders(count, ['', ''])})
          group by tenant, ordering_key)`,
  ),
);
