/** Erases a shopper: the details with their histories, what was announced, and the jobs that are about the shopper. */
import { statement } from '../../store/sql/engine.ts';
import { memoize, placeholders } from '../../store/sql/row-values.ts';
import type { Transaction } from '../../store/transaction.ts';
import { batchResponse, batchWait, updaterCheck } from './account-updater/job-kinds.ts';
import type { ShopperKey } from './details.ts';
import { ShopperCache } from './store/shopper-cache.ts';

/** How many rows of each kind were destroyed. */
export interface ErasedShopper {
  readonly shoppers: number;
  /** Active and disabled ones, with their numbers and data keys. */
  readonly details: number;
  /** Changes by the account updater. */
  readonly changes: number;
  readonly notifications: number;
  /** Announced changes of cards that no other shopper of the company has. */
  readonly announcedChanges: number;
  /** Checks that wait for the account updater. */
  readonly checks: number;
  /** Webhooks that were given up. */
  readonly deadLetters: number;
}

const ofShopper = 'company = $1 and merchant_account = $2 and shopper_reference = $3';

const findDetails = statement<{ readonly recurring_detail_reference: string; readonly fingerprint: string }>(
  'find-details-to-erase',
  `select recurring_detail_reference, fingerprint from stored_detail where ${ofShopper}`,
);

const eraseChanges = statement(
  'erase-changes',
  `delete from detail_change where company = $1 and recurring_detail_reference in
     (select recurring_detail_reference from stored_detail where ${ofShopper})`,
);

const eraseDetails = statement('erase-details', `delete from stored_detail where ${ofShopper}`);
const eraseNotifications = statement('erase-notifications', `delete from shopper_notification where ${ofShopper}`);
const eraseRow = statement('erase-shopper', `delete from shopper where ${ofShopper}`);

/** After the details: those left have other holders. */
const eraseAnnouncements = memoize((count: number) =>
  statement(
    `erase-announcements-of-${count}`,
    `delete from announced_change where (company, fingerprint) in (values ${placeholders(count, ['', ''])})
       and not exists (select 1 from stored_detail d
                        where d.company = announced_change.company and d.fingerprint = announced_change.fingerprint)`,
  ),
);

type JobRow = { readonly job_id: string; readonly kind: string; readonly payload: string };

const jobsPerPage = 500;

/** Jobs that hold card numbers, and dead ones. Events that are still delivered are not among them. */
const findJobs = statement<JobRow>(
  'find-jobs-to-erase',
  `select job_id, kind, payload from job
    where company = $1 and job_id > $2
      and (kind in ('${updaterCheck}', '${batchWait}', '${batchResponse}') or dead_since is not null)
    order by job_id limit ${jobsPerPage}`,
);

const eraseJob = statement('erase-job', 'delete from job where company = $1 and job_id = $2');

/** In a transaction that may wait: it reads all checks and dead letters of the company. */
export async function eraseShopper(tx: Transaction, key: ShopperKey): Promise<ErasedShopper> {
  const { company, merchantAccount, shopperReference } = key;
  const cache = tx.shared(ShopperCache);
  if (cache !== undefined) tx.afterEnd(() => cache.forget([key]));
  const parameters = [company, merchantAccount, shopperReference];
  const rows = await tx.query(findDetails, parameters);
  const references = new Set(rows.map((row) => row.recurring_detail_reference));
  const jobs = await eraseJobs(tx, key, references);
  const changes = await tx.execute(eraseChanges, parameters);
  const details = await tx.execute(eraseDetails, parameters);
  const fingerprints = [...new Set(rows.map(({ fingerprint }) => fingerprint))];
  const announcedChanges =
    fingerprints.length === 0
      ? 0
      : await tx.execute(
          eraseAnnouncements(fingerprints.length),
          fingerprints.flatMap((fingerprint) => [company, fingerprint]),
        );
  const notifications = await tx.execute(eraseNotifications, parameters);
  const shoppers = await tx.execute(eraseRow, parameters);
  return { shoppers, details, changes, notifications, announcedChanges, ...jobs };
}

async function eraseJobs(
  tx: Transaction,
  key: ShopperKey,
  references: ReadonlySet<string>,
): Promise<Pick<ErasedShopper, 'checks' | 'deadLetters'>> {
  let checks = 0;
  let deadLetters = 0;
  for (let last = ''; ; ) {
    const rows = await tx.query(findJobs, [key.company, last]);
    for (const { job_id, kind, payload } of rows) {
      if (!isAbout(JSON.parse(payload), key, references)) continue;
      // Such a job is alone in its ordering key, or dead: no other one waits for it.
      await tx.execute(eraseJob, [key.company, job_id]);
      if (kind === 'webhook') deadLetters += 1;
      else checks += 1;
    }
    if (rows.length < jobsPerPage) return { checks, deadLetters };
    last = rows.at(-1)!.job_id;
  }
}

/** Whether a request, a check or an event names the shopper, or one of the details. */
export function isAbout(
  value: unknown,
  { merchantAccount, shopperReference }: ShopperKey,
  references: ReadonlySet<string> = new Set(),
): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const named = value as Readonly<Record<string, unknown>>;
  if (named.merchantAccount !== merchantAccount) return false;
  return named.shopperReference === shopperReference || references.has(String(named.recurringDetailReference));
}
