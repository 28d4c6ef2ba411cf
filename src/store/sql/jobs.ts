/** Jobs in a database: saved with the effect they follow, taken under a lease, ended with the effect they have. */
import { type DeadJob, type JobKind, type JobQueue, LeaseLost, type NewJob, type TakenJob } from '../../jobs/job.ts';
import { type Engine, type Session, statement, type TransactionSession } from './engine.ts';

export type JobRow = {
  readonly company: string;
  readonly job_id: string;
  readonly kind: string;
  readonly lane: string;
  readonly payload: string;
  readonly key_id: string | null;
  readonly data_key: string | null;
  readonly sealed_number: string | null;
  readonly created_at: number;
  readonly attempts: number;
};

/** Of a `JobRow`. */
export const jobColumns = 'company, job_id, kind, lane, payload, key_id, data_key, sealed_number, created_at, attempts';

type GivenUpRow = Pick<JobRow, 'company' | 'job_id' | 'kind' | 'payload' | 'created_at' | 'attempts'> & {
  readonly given_up_at: number;
  readonly last_failure: string | null;
};

/** Behind those of its lane: due at once where it is the only one, and else when the one before it has ended. */
const save = statement(
  'save-job',
  `insert into job
     (company, job_id, kind, lane, place, payload, key_id, data_key, sealed_number, created_at, due_at)
   select $1, $2, $3, $4, coalesce(max(place), 0) + 1, $5, $6, $7, $8, now_ms(),
          case when count(due_at) = 0 then now_ms() + $9 end
     from job where company = $1 and lane = $4`,
);

/** The lease is the time at which it is due again. */
const take = statement<JobRow>(
  'take-jobs',
  `update job set holder = $1, due_at = now_ms() + $2, attempts = attempts + 1
    where (company, job_id) in
      (select company, job_id from job where kind = $3 and due_at <= now_ms() order by due_at limit $4 skip_locked())
   returning ${jobColumns}`,
);

const end = statement('end-job', 'delete from job where company = $1 and job_id = $2 and holder = $3');

const giveUp = statement(
  'give-up-job',
  `update job set due_at = null, holder = null, given_up_at = now_ms(), last_failure = $4
    where company = $1 and job_id = $2 and holder = $3`,
);

const postpone = statement(
  'postpone-job',
  `update job set due_at = now_ms() + $4, holder = null, last_failure = $5
    where company = $1 and job_id = $2 and holder = $3`,
);

const putBack = statement(
  'put-back-job',
  `update job set due_at = now_ms() + $4, holder = null, attempts = attempts - 1
    where company = $1 and job_id = $2 and holder = $3`,
);

/** The next of the lane, where none of it is under way. */
const callNext = statement(
  'call-next-job',
  `update job set due_at = now_ms()
    where company = $1 and lane = $2 and given_up_at is null
      and place = (select min(place) from job where company = $1 and lane = $2 and given_up_at is null)
      and due_at is null`,
);

const listGivenUp = statement<GivenUpRow>(
  'list-given-up-jobs',
  `select company, job_id, kind, payload, created_at, attempts, given_up_at, last_failure from job
    where company = $1 and kind = $2 and given_up_at is not null order by given_up_at, job_id limit $3`,
);

/** It goes to the front of its lane, as it comes before all that are still there. */
const revive = statement(
  'revive-job',
  `update job set given_up_at = null, attempts = 0, due_at = now_ms(), created_at = now_ms()
    where company = $1 and job_id = $2 and given_up_at is not null`,
);

const place = ({ company, jobId, leaseOwner: holder }: TakenJob) => [company, jobId, holder] as const;

const held = async (written: Promise<number>): Promise<void> => {
  if ((await written) === 0) throw new LeaseLost('another process has taken the job over');
};

export const jobOf = ({ company, job_id, kind, lane, payload, ...row }: JobRow, holder: string): TakenJob => ({
  company,
  jobId: job_id,
  kind: kind as JobKind,
  orderingKey: lane,
  payload,
  sealed:
    row.key_id === null || row.data_key === null
      ? undefined
      : { keyId: row.key_id, dataKey: row.data_key, number: row.sealed_number ?? undefined },
  createdAt: row.created_at,
  attempts: row.attempts,
  leaseOwner: holder,
});

const givenUpOf = (row: GivenUpRow): DeadJob => ({
  company: row.company,
  jobId: row.job_id,
  kind: row.kind as JobKind,
  payload: row.payload,
  createdAt: row.created_at,
  attempts: row.attempts,
  deadSince: row.given_up_at,
  lastFailure: row.last_failure ?? '',
});

/** The jobs of a transaction. */
export class JobRepository {
  readonly #session: Session;
  readonly #saved: (kind: JobKind) => void;

  constructor(session: Session, saved: (kind: JobKind) => void) {
    this.#session = session;
    this.#saved = saved;
  }

  async save(job: NewJob): Promise<void> {
    const { company, jobId, kind, orderingKey = jobId, payload, sealed, afterMs = 0 } = job;
    const secrets = [sealed?.keyId ?? null, sealed?.dataKey ?? null, sealed?.number ?? null];
    await this.#session.execute(save, [company, jobId, kind, orderingKey, payload, ...secrets, afterMs]);
    this.#saved(kind);
  }

  /** Deletes a completed job. Throws `LeaseLost` where another process has taken it; the transaction must then be rolled back. */
  async end(job: TakenJob): Promise<void> {
    await held(this.#session.execute(end, place(job)));
    await this.#session.execute(callNext, [job.company, job.orderingKey]);
  }
}

export const createJobs = (engine: Engine): JobQueue => {
  const write = <T>(work: (session: TransactionSession) => Promise<T>): Promise<T> => engine.write(work);
  return Object.freeze<JobQueue>({
    take: (kind, { holder, leaseMs, max }) =>
      write(async (session) => {
        const rows = await session.query(take, [holder, leaseMs, kind, max]);
        return rows.map((row) => jobOf(row, holder));
      }),
    end: (job) =>
      write(async (session) => {
        await held(session.execute(end, place(job)));
        await session.execute(callNext, [job.company, job.orderingKey]);
      }),
    defer: (job, afterMs) => write((session) => held(session.execute(putBack, [...place(job), Math.ceil(afterMs)]))),
    retryLater: (job, afterMs, because) =>
      write((session) => held(session.execute(postpone, [...place(job), Math.ceil(afterMs), because]))),
    abandon: (job, because) =>
      write(async (session) => {
        await held(session.execute(giveUp, [...place(job), because]));
        await session.execute(callNext, [job.company, job.orderingKey]);
      }),
    findDead: (company, kind, max) =>
      engine.read(async (session) => (await session.query(listGivenUp, [company, kind, max])).map(givenUpOf)),
    revive: (company, jobId) => write(async (session) => (await session.execute(revive, [company, jobId])) > 0),
  });
};
