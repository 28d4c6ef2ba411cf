/** Erases a shopper: the details with their histories, what was announced, and the jobs that are about the shopper. */
import type { Erasure } from '../../backend/index.ts';
import { createErasure, statement, type Transaction } from '../../stores/index.ts';
import { batchResponse, batchWait, updaterCheck } from './account-updater/job-kinds.ts';
import type { ShopperKey } from './details.ts';
import { ShopperCache } from './store/shopper-cache.ts';
import { recurringTables, shoppers } from './tables.ts';

/** How many rows of each kind were destroyed. Checks wait for the account updater; dead letters are webhooks that were given up. */
type ErasedShopper = Readonly<Record<string, number>>;

const eraseRows = createErasure(shoppers, recurringTables.tables);

const findReferences = statement<{ readonly recurring_detail_reference: string }>(
  'find-details-to-erase',
  `select recurring_detail_reference from stored_detail
    where company = $1 and merchant_account = $2 and shopper_reference = $3`,
);

type JobRow = { readonly job_id: string; readonly kind: string; readonly payload: string };

const jobsPerPage = 500;

/** Jobs that hold card numbers, and dead ones. Events that are still delivered are not among them. */
const findJobs = statement<JobRow>(
  'find-jobs-to-erase',
  `select job_id, kind, payload from job
    where tenant = $1 and job_id > $2
      and (kind in ('${updaterCheck}', '${batchWait}', '${batchResponse}') or dead_since is not null)
    order by job_id limit ${jobsPerPage}`,
);

const eraseJob = statement('erase-job', 'delete from job where tenant = $1 and job_id = $2');

export const shopperErasure: Erasure<ShopperKey> = Object.freeze<Erasure<ShopperKey>>({
  subject: 'shopper',
  tenantOf: ({ company }) => company,
  nameOf: ({ shopperReference }) => shopperReference,
  publicPartOf: ({ merchantAccount }) => ({ merchantAccount }),
  erase: eraseShopper,
  isAbout(input, key, mask) {
    // A reference that is a card number is masked in them.
    const masked = { ...key, shopperReference: mask(key.shopperReference) };
    return isAbout(input, key) || isAbout(input, masked);
  },
});

/** In a transaction that may wait: it reads all checks and dead letters of the company. */
export async function eraseShopper(tx: Transaction, key: ShopperKey): Promise<ErasedShopper> {
  const { company, merchantAccount, shopperReference } = key;
  const cache = tx.shared(ShopperCache);
  if (cache !== undefined) tx.afterEnd(() => cache.forget([key]));
  const parameters = [company, merchantAccount, shopperReference];
  const rows = await tx.query(findReferences, parameters);
  const jobs = await eraseJobs(tx, key, new Set(rows.map((row) => row.recurring_detail_reference)));
  const { [shoppers.name]: erased = 0, ...others } = await eraseRows(tx, parameters);
  return { shoppers: erased, ...others, ...jobs };
}

async function eraseJobs(
  tx: Transaction,
  key: ShopperKey,
  references: ReadonlySet<string>,
): Promise<{ readonly checks: number; readonly deadLetters: number }> {
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
function isAbout(
  value: unknown,
  { merchantAccount, shopperReference }: ShopperKey,
  references: ReadonlySet<string> = new Set(),
): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const named = value as Readonly<Record<string, unknown>>;
  if (named.merchantAccount !== merchantAccount) return false;
  return named.shopperReference === shopperReference || references.has(String(named.recurringDetailReference));
}
