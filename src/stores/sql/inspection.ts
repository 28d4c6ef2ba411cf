/** What operators see of the store: jobs by kind, the backlog of webhooks, dead jobs, an idempotency record, the schema. */
import type { DeadJob } from '../jobs/job.ts';
import type { RowOf } from '../table.ts';
import { type Engine, statement } from './engine.ts';
import { pendingMs } from './idempotency-records.ts';
import { fieldsOf } from './row-values.ts';
import type { idempotencyRecords, jobs } from './tables.ts';

export type StoreInspection = ReturnType<typeof createInspection>;

/** The jobs of one kind. A dead job is in no other count. */
type JobsRow = {
  readonly kind: string;
  /** Due now, and taken by no process. */
  readonly due: number;
  /** Under the lease of a process. */
  readonly leased: number;
  /** Due later. */
  readonly scheduled: number;
  /** Behind another job of their ordering key. */
  readonly blocked: number;
  /** Have failed, and are repeated. They are in another count, too. */
  readonly failing: number;
  readonly dead: number;
  /** How long the first due job has waited. */
  readonly longest_due_ms: number | null;
};

const isDue = 'due_at <= now_ms()';
const isLeased = 'due_at > now_ms() and lease_owner is not null';
const isScheduled = 'due_at > now_ms() and lease_owner is null';
const isBlocked = 'due_at is null and dead_since is null';
const isFailing = 'dead_since is null and last_failure is not null';
const countOf = (condition: string, name: string): string => `count(case when ${condition} then 1 end) as ${name}`;

const summarizeJobs = statement<JobsRow>(
  'summarize-jobs',
  `select kind, ${countOf(isDue, 'due')}, ${countOf(isLeased, 'leased')}, ${countOf(isScheduled, 'scheduled')},
     ${countOf(isBlocked, 'blocked')}, ${countOf(isFailing, 'failing')}, ${countOf('dead_since is not null', 'dead')},
     max(case when ${isDue} then now_ms() - due_at end) as longest_due_ms
   from job group by kind order by kind`,
);

/** Jobs do not say when they failed: of those that are repeated, the newest tells what is wrong now. */
const lastFailures = statement<{ readonly kind: string; readonly last_failure: string }>(
  'find-last-failures',
  `select kind, last_failure from
     (select kind, last_failure, row_number() over (partition by kind order by created_at desc, job_id) as place
        from job where ${isFailing}) newest
   where place = 1`,
);

/** The events that wait for one endpoint, with the age of the oldest. */
type BacklogRow = {
  readonly tenant: string;
  readonly endpoint_id: string;
  readonly waiting: number;
  readonly dead: number;
  readonly oldest_ms: number | null;
};

const summarizeEndpoints = statement<BacklogRow>(
  'summarize-webhook-endpoints',
  `select e.tenant, e.endpoint_id, ${countOf('j.job_id is not null and j.dead_since is null', 'waiting')},
     ${countOf('j.dead_since is not null', 'dead')},
     max(case when j.dead_since is null then now_ms() - j.created_at end) as oldest_ms
   from webhook_endpoint e
   left join job j on j.tenant = e.tenant and j.kind = 'webhook'
     and substr(j.ordering_key, 1, length(e.endpoint_id) + 1) = e.endpoint_id || '/'
   group by e.tenant, e.created_at, e.endpoint_id order by e.tenant, e.created_at, e.endpoint_id`,
);

/** A job that is not retried. */
type DeadRow = Pick<
  RowOf<typeof jobs>,
  'tenant' | 'job_id' | 'kind' | 'payload' | 'created_at' | 'attempts' | 'last_failure'
> & { readonly dead_since: number };

const listDead = statement<DeadRow>(
  'list-dead-jobs',
  `select tenant, job_id, kind, payload, created_at, attempts, dead_since, last_failure from job
    where kind = $1 and dead_since is not null and (cast($2 as text) = '' or tenant = $2)
    order by dead_since, tenant, job_id limit $3`,
);

const listDeadTenants = statement<{ readonly tenant: string }>(
  'list-tenants-of-dead-jobs',
  'select distinct tenant from job where kind = $1 and dead_since is not null order by tenant',
);

/** Records without an outcome expire in the far future. */
const findRecord = statement<Omit<RowOf<typeof idempotencyRecords>, 'record_key'>>(
  'show-record',
  `select request_hash, operation, request_reference, created_at, expires_at, outcome
     from idempotency_record where record_key = $1 and expires_at > now_ms()`,
);

/** Records that a search for a reference reads. */
const searchedRecordsMax = 20_000;

/** By the index on the expiry: references have none. */
const findRecordOfReference = statement<RowOf<typeof idempotencyRecords>>(
  'find-record-of-reference',
  `select record_key, request_hash, operation, request_reference, created_at, expires_at, outcome
     from (select * from idempotency_record where expires_at > now_ms()
            order by expires_at desc limit ${searchedRecordsMax}) newest
    where request_reference = $1 limit 1`,
);

/** By the index on the expiry, which follows the creation where there is an outcome. */
const findNewest = statement<{ readonly created_at: number }>(
  'find-newest-record',
  `select created_at from idempotency_record where expires_at < ${pendingMs / 2} order by expires_at desc limit 1`,
);

const findSchema = statement<{ readonly number: number; readonly owner: string; readonly applied_at: number }>(
  'find-last-migration',
  'select number, owner, applied_at from migration order by applied_at desc, number desc, owner limit 1',
);

const findBytes = statement<{ readonly bytes: number }>(
  'find-database-bytes',
  'select cast(pg_database_size(current_database()) as bigint) as bytes',
);

export function createInspection(engine: Engine) {
  return Object.freeze({
    /** With the reason of the job that failed last. */
    summarizeJobs: () =>
      engine.read(async (session) => {
        const failures = new Map(
          (await session.query(lastFailures, [])).map(({ kind, last_failure: failure }) => [kind, failure]),
        );
        const rows = await session.query(summarizeJobs, []);
        return rows.map((row) => ({ ...fieldsOf(row), lastFailure: failures.get(row.kind) }));
      }),
    summarizeEndpoints: () =>
      engine.read(async (session) => (await session.query(summarizeEndpoints, [])).map((row) => fieldsOf(row))),
    /** The dead jobs of a kind, of one tenant or of all, the longest dead first. */
    findDead: (
      kind: string,
      { tenant = '', max }: { readonly tenant?: string | undefined; readonly max: number },
    ): Promise<readonly DeadJob[]> =>
      engine.read(async (session) => (await session.query(listDead, [kind, tenant, max])).map(deadJobOf)),
    /** The tenants with a dead job of the kind. */
    findDeadTenants: (kind: string): Promise<readonly string[]> =>
      engine.read(async (session) => (await session.query(listDeadTenants, [kind])).map(({ tenant }) => tenant)),
    /**
     * Undefined where there is none, or only an expired one. A record without an outcome does not expire: another server is asked, or its
     * answer is unknown. The hash is useless without the MAC key.
     */
    findRecord: (recordKey: string) =>
      engine.read(async (session) => {
        const [row] = await session.query(findRecord, [recordKey]);
        return row && foundRecordOf(row);
      }),
    /** The same for the reference of the request, among the newest records (`searchedRecordsMax`). */
    findRecordOfReference: (reference: string) =>
      engine.read(async (session) => {
        const [row] = await session.query(findRecordOfReference, [reference]);
        return row && { recordKey: row.record_key, record: foundRecordOf(row) };
      }),
    /** When the newest record was created, in milliseconds since the epoch; undefined where there is none. */
    findNewestRecord: async (): Promise<number | undefined> =>
      engine.read(async (session) => (await session.query(findNewest, []))[0]?.created_at),
    /** The last migration, and its owner: the engine, or the service that brings the tables. */
    findSchema: () =>
      engine.read(async (session) => {
        const [row] = await session.query(findSchema, []);
        return row && fieldsOf(row);
      }),
    /** The size of a database that has a function for it. */
    findDatabaseBytes: async (): Promise<number | undefined> =>
      engine.dialect === 'sqlite'
        ? undefined
        : engine.read(async (session) => (await session.query(findBytes, []))[0]?.bytes),
  });
}

function foundRecordOf(row: Omit<RowOf<typeof idempotencyRecords>, 'record_key'>) {
  return { ...fieldsOf(row), expiresAt: row.outcome === null ? undefined : row.expires_at };
}

function deadJobOf(row: DeadRow): DeadJob {
  return { ...fieldsOf(row), lastFailure: row.last_failure ?? '' };
}
