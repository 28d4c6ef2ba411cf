/** Jobs in a database: saved with the effect that they follow, taken under a lease, deleted with their own effect. */

import { memoize } from '../../core/lib/index.ts';
import { type JobKind, type JobQueue, LeaseLost, type NewJob, type TakenJob } from '../jobs/job.ts';
import type { RowOf } from '../table.ts';
import { type Engine, readCommitted, type Session, statement, type TransactionSession } from './engine.ts';
import { continueSequences, type JobPosition, resumeSequence, takePositions } from './job-sequences.ts';
import { fieldsOf, placeholders } from './row-values.ts';
import type { jobs as jobTable } from './tables.ts';
import { createTogether } from './together.ts';

type Row = RowOf<typeof jobTable>;

export type JobRow = Omit<Row, 'position' | 'due_at' | 'lease_owner' | 'dead_since' | 'last_failure'> & {
  readonly age_ms: number;
};

/** The columns of a `JobRow`. */
export const jobColumns =
  'tenant, job_id, kind, ordering_key, payload, key_id, data_key, sealed_number, created_at, now_ms() - created_at as age_ms, attempts';

/** Due where no other job of the ordering key comes first. */
const save = statement(
  'save-job',
  `insert into job
     (tenant, job_id, kind, ordering_key, position, payload, key_id, data_key, sealed_number, created_at, due_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now_ms(), now_ms() + $10)`,
);

/** A taken job is due again at the end of its lease. */
const take = statement<JobRow>(
  'take-jobs',
  `update job set lease_owner = $1, due_at = now_ms() + $2, attempts = attempts + 1
    where (tenant, job_id) in
      (select tenant, job_id from job where kind = $3 and due_at <= now_ms() order by due_at limit $4 skip_locked())
   returning ${jobColumns}`,
);

type PositionRow = Pick<Row, 'tenant' | 'job_id' | 'position'>;

const end = memoize((count: number) =>
  statement<PositionRow>(
    `end-jobs-${count}`,
    `delete from job where (tenant, job_id, lease_owner) in (values ${placeholders(count, ['', '', ''])})
     returning tenant, job_id, position`,
  ),
);

const abandon = statement<PositionRow>(
  'abandon-job',
  `update job set due_at = null, lease_owner = null, dead_since = now_ms(), last_failure = $4
    where tenant = $1 and job_id = $2 and lease_owner = $3 returning tenant, job_id, position`,
);

const retryLater = statement<PositionRow>(
  'retry-job-later',
  `update job set due_at = now_ms() + $4, lease_owner = null, last_failure = $5, ordering_key = $6
    where tenant = $1 and job_id = $2 and lease_owner = $3 returning tenant, job_id, position`,
);

/** A list of values names its columns by their numbers. */
const defer = memoize((count: number) =>
  statement<Omit<PositionRow, 'position'>>(
    `defer-jobs-${count}`,
    `update job set due_at = now_ms() + given.column4, lease_owner = null, attempts = attempts - 1
       from (values ${placeholders(count, ['', '', '', 'bigint'])}) as given
      where job.tenant = given.column1 and job.job_id = given.column2 and job.lease_owner = given.column3
     returning job.tenant, job.job_id`,
  ),
);

/** Due at once: jobs that are saved later wait for it, and those that run already do not. */
const revive = statement<{ readonly ordering_key: string; readonly position: number }>(
  'revive-job',
  `update job set dead_since = null, attempts = 0, due_at = now_ms(), created_at = now_ms()
    where tenant = $1 and job_id = $2 and dead_since is not null returning ordering_key, position`,
);

/** The most jobs that end, or are deferred, in one transaction. */
const togetherMax = 64;

const leaseLost = 'another process has taken the job over';

/** The jobs of a transaction. */
export class JobRepository {
  readonly #session: TransactionSession;
  readonly #savedKinds: Set<JobKind>;

  constructor(session: TransactionSession, savedKinds: Set<JobKind>) {
    this.#session = session;
    this.#savedKinds = savedKinds;
  }

  async save(job: NewJob): Promise<void> {
    const { tenant, jobId, kind, orderingKey = jobId, payload, sealed, afterMs = 0 } = job;
    const secrets = [sealed?.keyId ?? null, sealed?.dataKey ?? null, sealed?.number ?? null];
    const alone = { last: 1, isFree: true };
    const { last, isFree } = orderingKey === jobId ? alone : await takePositions(this.#session, tenant, orderingKey);
    const dueAfterMs = isFree ? afterMs : null;
    const identity = [tenant, jobId, kind, orderingKey, last, payload];
    await this.#session.executeDeferred(save, [...identity, ...secrets, dueAfterMs]);
    this.#savedKinds.add(kind);
  }

  /** Deletes a completed job. Throws `LeaseLost` where another process has taken it; the transaction must then be rolled back. */
  async end(job: TakenJob): Promise<void> {
    const [hasEnded] = await endJobs(this.#session, [job]);
    if (!hasEnded) throw new LeaseLost(leaseLost);
  }
}

/** The jobs of a store, each method in a transaction of its own. */
export function createJobs(engine: Engine): JobQueue {
  // Jobs that end at the same time end in one transaction.
  const endTogether = createTogether<TakenJob, boolean>(
    (jobs) => engine.write((session) => endJobs(session, jobs), readCommitted),
    togetherMax,
  );
  const deferTogether = createTogether<DeferredJob, boolean>(
    (jobs) => engine.write((session) => deferJobs(session, jobs), readCommitted),
    togetherMax,
  );
  return Object.freeze<JobQueue>({
    take: (kind, { leaseOwner, leaseMs, max }) =>
      engine.write(async (session) => {
        const rows = await session.query(take, [leaseOwner, leaseMs, kind, max]);
        return rows.map((row) => jobOf(row, leaseOwner));
      }, readCommitted),
    async end(job) {
      if (!(await endTogether(job))) throw new LeaseLost(leaseLost);
    },
    async defer(job, afterMs) {
      if (!(await deferTogether({ job, afterMs }))) throw new LeaseLost(leaseLost);
    },
    retryLater: (job, afterMs, because, leavesOrder = false) =>
      engine.write(async (session) => {
        const { tenant, jobId, orderingKey } = job;
        const ownKey = leavesOrder ? aloneIn(orderingKey, jobId) : orderingKey;
        const values = [...leaseOf(job), Math.ceil(afterMs), because, ownKey];
        const [row] = await session.query(retryLater, values);
        if (row === undefined) throw new LeaseLost(leaseLost);
        if (ownKey !== orderingKey) await continueSequences(session, [{ tenant, orderingKey, position: row.position }]);
      }, readCommitted),
    abandon: (job, because) =>
      engine.write(async (session) => {
        const rows = await session.query(abandon, [...leaseOf(job), because]);
        if (rows.length === 0) throw new LeaseLost(leaseLost);
        await continueAfter(session, [job], rows);
      }, readCommitted),
    revive: (tenant, jobId) =>
      engine.write(async (session) => {
        const [revived] = await session.query(revive, [tenant, jobId]);
        if (revived === undefined) return false;
        const { ordering_key: orderingKey, position } = revived;
        if (orderingKey !== jobId) await resumeSequence(session, { tenant, orderingKey, position });
        return true;
      }, readCommitted),
  });
}

export function jobOf(row: JobRow, leaseOwner: string): TakenJob {
  const { keyId, dataKey, sealedNumber: number, ...job } = fieldsOf(row);
  const sealed = keyId === undefined || dataKey === undefined ? undefined : { keyId, dataKey, number };
  return { ...job, sealed, leaseOwner };
}

function leaseOf({ tenant, jobId, leaseOwner }: TakenJob) {
  return [tenant, jobId, leaseOwner] as const;
}

/** Returns for each job whether it has ended; false where another process has taken it. */
async function endJobs(session: Session, jobs: readonly TakenJob[]): Promise<readonly boolean[]> {
  const rows = await session.query(end(jobs.length), jobs.flatMap(leaseOf));
  await continueAfter(session, jobs, rows);
  return areAmong(rows, jobs);
}

interface DeferredJob {
  readonly job: TakenJob;
  readonly afterMs: number;
}

/** Returns for each job whether it was deferred; false where another process has taken it. */
async function deferJobs(session: Session, deferred: readonly DeferredJob[]): Promise<readonly boolean[]> {
  const values = deferred.flatMap(({ job, afterMs }) => [...leaseOf(job), Math.ceil(afterMs)]);
  const rows = await session.query(defer(deferred.length), values);
  return areAmong(
    rows,
    deferred.map(({ job }) => job),
  );
}

function areAmong(rows: readonly Omit<PositionRow, 'position'>[], jobs: readonly TakenJob[]): readonly boolean[] {
  const found = new Set(rows.map(({ tenant, job_id }) => identityOf(tenant, job_id)));
  return jobs.map(({ tenant, jobId }) => found.has(identityOf(tenant, jobId)));
}

/** A job without an ordering key of its own is alone in it. */
async function continueAfter(session: Session, jobs: readonly TakenJob[], rows: readonly PositionRow[]): Promise<void> {
  const positions = new Map(rows.map(({ tenant, job_id, position }) => [identityOf(tenant, job_id), position]));
  const ended = jobs.flatMap(({ tenant, jobId, orderingKey }): readonly JobPosition[] => {
    const position = positions.get(identityOf(tenant, jobId));
    return position === undefined || orderingKey === jobId ? [] : [{ tenant, orderingKey, position }];
  });
  await continueSequences(session, ended);
}

function identityOf(tenant: string, jobId: string): string {
  return `${tenant.length} ${tenant}${jobId}`;
}

/** The ordering key of a job that has left its order. It begins with the same part, which names the endpoint of a webhook. */
function aloneIn(orderingKey: string, jobId: string): string {
  const end = ` ${jobId}`;
  return orderingKey.endsWith(end) ? orderingKey : orderingKey + end;
}
