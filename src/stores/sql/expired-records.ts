/** Deletes expired idempotency records in small steps beside traffic, in one process at a time. */
import { setTimeout } from 'node:timers/promises';
import { LockTimeout } from '../../core/idempotency/index.ts';
import {
  deletionStep,
  type Engine,
  readCommitted,
  type Session,
  statement,
  type TransactionSession,
} from './engine.ts';
import { endLease, holdLease, type Lease, stepLeaseMs } from './leases.ts';
import { StepPace } from './step-pace.ts';

export interface CleanUpOptions {
  /** Names the process among those that share the store. */
  readonly owner: string;
  /** Waits between two steps. */
  readonly pause?: (ms: number) => Promise<unknown>;
  readonly isStopped?: () => boolean;
}

export interface CleanUpResult {
  readonly deleted: number;
  /** When the first record that is still stored expires, in milliseconds since the epoch; undefined where there is none. */
  readonly oldestExpiry: number | undefined;
}

const rowsMax = 1_000;
/** Then another program holds an expired record: requests do so for a moment. */
const lockedMax = 20;
/** A keyed request may hold an expired record, which it replaces. */
const lockWaitMsMax = 100;

/**
 * Begins after the records of the last step: until a vacuum, PostgreSQL would read the index entries of all deleted records
 * again.
 */
const findStep = statement<{ readonly rows: number; readonly last: number | null }>(
  'find-expired-records',
  `select count(*) as rows, max(expires_at) as last from
     (select expires_at from idempotency_record where expires_at > $1 and expires_at <= now_ms()
       order by expires_at limit $2) oldest`,
);

/**
 * By a range of the index on the expiry: PostgreSQL reads the whole table to find a thousand keys. Records that expire in the
 * same millisecond are deleted together. A record that another transaction has replaced meanwhile has a later expiry, so it stays.
 */
const deleteRange = statement(
  'delete-expired-records',
  'delete from idempotency_record where expires_at > $1 and expires_at <= $2',
  { waitMsMax: lockWaitMsMax },
);

const findOldest = statement<{ readonly expires_at: number }>(
  'find-oldest-record',
  'select expires_at from idempotency_record where expires_at > $1 order by expires_at limit 1',
);

/** Ends early where another process does the same, or the process stops. */
export async function deleteExpiredRecords(engine: Engine, options: CleanUpOptions): Promise<CleanUpResult> {
  const { owner, pause = setTimeout, isStopped = () => false } = options;
  const lease: Lease = { name: 'expired-records', owner, ms: stepLeaseMs };
  const pace = new StepPace(rowsMax);
  let floor = 0;
  let deleted = 0;
  let locked = 0;
  while (!isStopped()) {
    const startedAt = performance.now();
    const step = await runStep(engine, { lease, floor, rows: pace.rows });
    if (step === undefined) break;
    locked = step.isLocked ? locked + 1 : 0;
    deleted += step.deleted;
    floor = step.last;
    if (step.isLast || locked === lockedMax) break;
    await pause(pace.after(performance.now() - startedAt));
  }
  await engine.write((session) => endLease(session, lease), readCommitted);
  const oldest = (session: Session) => session.query(findOldest, [floor]);
  return { deleted, oldestExpiry: (await engine.read(oldest))[0]?.expires_at };
}

interface Step {
  readonly deleted: number;
  /** The expiry of the last record of the step. */
  readonly last: number;
  readonly isLast: boolean;
  /** A request holds one of the records: nothing was deleted. */
  readonly isLocked?: true;
}

interface StepRange {
  readonly lease: Lease;
  readonly floor: number;
  readonly rows: number;
}

/** Returns undefined where another process holds the lease. */
async function runStep(engine: Engine, range: StepRange): Promise<Step | undefined> {
  try {
    return await engine.write((session) => deleteSome(session, range), deletionStep);
  } catch (thrown) {
    if (thrown instanceof LockTimeout) return { deleted: 0, last: range.floor, isLast: false, isLocked: true };
    throw thrown;
  }
}

async function deleteSome(session: TransactionSession, { lease, floor, rows }: StepRange): Promise<Step | undefined> {
  if (!(await holdLease(session, lease))) return undefined;
  const [found] = await session.query(findStep, [floor, rows]);
  if (found === undefined || found.last === null) return { deleted: 0, last: floor, isLast: true };
  const deleted = await session.execute(deleteRange, [floor, found.last]);
  return { deleted, last: found.last, isLast: found.rows < rows };
}
