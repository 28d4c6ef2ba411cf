/** Checks that batch files carry: a file holds the lease of its checks as a process holds that of a job. */

import {
  type JobRow,
  jobColumns,
  jobOf,
  type ReadTransaction,
  type Store,
  statement,
} from '../../../../stores/index.ts';
import type { TakenJob } from '../../../../stores/jobs/index.ts';
import { batchCycle, batchFile, batchResponse, batchWait, updaterCheck } from '../job-kinds.ts';
import type { Updater } from '../updater.ts';

/** Batch files and cycles belong to no company. */
const noCompany = '';

const countWaiting = statement<{ readonly checks: number; readonly longest_ms: number | null }>(
  'count-waiting-checks',
  `select count(*) as checks, now_ms() - min(due_at) as longest_ms
     from (select due_at from job where kind = '${batchWait}' and due_at <= now_ms() order by due_at limit $1) waiting`,
);

/** The file holds them until they are due again: no response has come by then. */
const collect = statement(
  'collect-checks',
  `update job set kind = '${batchResponse}', lease_owner = $1, due_at = now_ms() + $2, attempts = attempts + 1
    where (tenant, job_id) in
      (select tenant, job_id from job where kind = '${batchWait}' and due_at <= now_ms()
        order by due_at limit $3 skip_locked())`,
);

const findOfFile = statement<JobRow>(
  'find-checks-of-file',
  `select ${jobColumns} from job
    where kind = '${batchResponse}' and lease_owner = $1 and (tenant, job_id) > ($2, $3) order by tenant, job_id limit $4`,
);

const findOne = statement<JobRow & { readonly lease_owner: string }>(
  'find-batched-check',
  `select ${jobColumns}, lease_owner from job where tenant = $1 and job_id = $2 and kind = '${batchResponse}'`,
);

const ensure = statement(
  'ensure-batch-cycle',
  `insert into job (tenant, job_id, kind, ordering_key, position, payload, created_at, due_at)
   values ($1, '${batchCycle}', '${batchCycle}', '${batchCycle}', 1, '{}', now_ms(), now_ms()) on conflict do nothing`,
);

/** Checks of batch files continue with the HTTP updater. */
const moveToHttp = statement(
  'move-checks-to-http',
  `update job set kind = '${updaterCheck}', lease_owner = null, due_at = now_ms() where kind = '${batchWait}' or kind = '${batchResponse}'`,
);

/** Checks of the HTTP updater continue with batch files. */
const moveToBatch = statement(
  'move-checks-to-batch',
  `update job set kind = '${batchWait}', lease_owner = null, due_at = now_ms() where kind = '${updaterCheck}'`,
);

/** The checks in batch files, within a transaction. */
export class BatchedCheckRepository {
  readonly #tx: ReadTransaction;

  constructor(tx: ReadTransaction) {
    this.#tx = tx;
  }

  /** A check that is in a file and waits for its response. */
  async find(company: string, jobId: string): Promise<TakenJob | undefined> {
    const [row] = await this.#tx.query(findOne, [company, jobId]);
    return row && jobOf(row, row.lease_owner);
  }
}

/** The queue of checks for batch files. */
export const createBatchQueue = (store: Store): BatchQueue =>
  Object.freeze<BatchQueue>({
    begin: async (updater) => {
      // Of what is known, nothing is to be waited for.
      if (updater === 'local') return;
      await store.write(async (tx) => {
        if (updater === 'http') await tx.execute(moveToHttp, []);
        else {
          await tx.execute(moveToBatch, []);
          await tx.execute(ensure, [noCompany]);
        }
      });
    },
    findWaiting: (max) =>
      store.read(async (tx) => {
        const [waiting] = await tx.query(countWaiting, [max]);
        return { checks: waiting?.checks ?? 0, longestMs: waiting?.longest_ms ?? 0 };
      }),
    collect: (file, { max, answerMsMax }) =>
      store.write(async (tx) => {
        const checks = await tx.execute(collect, [file, answerMsMax, max]);
        if (checks > 0) await tx.jobs.save({ tenant: noCompany, jobId: file, kind: batchFile, payload: '{}' });
        return checks;
      }),
    findBatchedChecks: (file, max, after) =>
      store.read(async (tx) => {
        const rows = await tx.query(findOfFile, [file, after?.tenant ?? '', after?.jobId ?? '', max]);
        return rows.map((row) => jobOf(row, file));
      }),
  });

export interface BatchQueue {
  /** Hands checks that wait for another kind of updater over to this one. For batches, saves the job of the batch cycle. */
  begin(updater: Updater['kind']): Promise<void>;
  /** Counts the checks that wait for a file, up to `max`, and returns for how long the first of them has waited, in milliseconds. */
  findWaiting(max: number): Promise<{ readonly checks: number; readonly longestMs: number }>;
  /**
   * Puts up to `max` checks into the file, the longest waiting first, and saves the job that writes it, in one transaction.
   * Without a waiting check there is no file. The checks are due again after `answerMsMax`. Returns their number.
   */
  collect(file: string, options: { readonly max: number; readonly answerMsMax: number }): Promise<number>;
  /** The checks of a file that wait for their response, in a stable order; those after the given one. */
  findBatchedChecks(file: string, max: number, after?: TakenJob): Promise<readonly TakenJob[]>;
}
