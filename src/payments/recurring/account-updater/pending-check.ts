/** A check whose outcome comes after the response: saved as a job, and completed once, with its outcome. */

import type { HandlerContext } from '../../../core/gateway/index.ts';
import type { Vault } from '../../../core/vault/index.ts';
import type { Transaction } from '../../../stores/index.ts';
import type { JobKind, TakenJob } from '../../../stores/jobs/index.ts';
import type { Expiry, HeldDetail, ShopperKey } from '../details.ts';
import { type RecurringEvent, recurringEvent } from '../events.ts';
import { cardFingerprints, findUnderEach } from '../fingerprints.ts';
import { matchCard } from '../match-instrument.ts';
import { DetailRepository } from '../store/repository.ts';
import { applyOutcome, ignoreStale, isCard, resultOf, type StoredCard } from './apply-outcome.ts';
import { batchWait, updaterCheck } from './job-kinds.ts';
import type { AccountUpdateOutcome, CheckedCard, Updater } from './updater.ts';

export type Account = Omit<ShopperKey, 'shopperReference'>;

/** A card of a shopper. */
export type HeldCard = HeldDetail & { readonly detail: StoredCard };

/** Restricts the details to those that the request names. */
interface DetailFilter {
  readonly shopperReference?: string | undefined;
  readonly recurringDetailReference?: string | undefined;
}

/** The request that causes updates of details. */
interface UpdateRequest {
  readonly account: Account;
  readonly changedBy: string;
  readonly pspReference: string;
}

/** The payload of a job; the card number is sealed in a column of its own. */
interface PendingCheck extends DetailFilter {
  readonly merchantAccount: string;
  readonly reference: string;
  /** See `checkId`. */
  readonly id: string;
  readonly fingerprint: string;
  readonly expiry: Expiry;
  readonly changedBy: string;
}

/** A check without an outcome after this time ends with the result Error. */
export const pendingMsMax = 10 * 24 * 60 * 60_000;

/** Before the first retry of a check that has just been made. */
const firstRetryMs = 2_000;

/** Saves the check for the job handlers of the updater. */
export async function saveCheck(
  { fingerprint, expiry, number }: CheckedCard,
  input: {
    readonly reference: string;
    readonly shopperReference?: string | undefined;
    readonly selectedRecurringDetailReference?: string | undefined;
  },
  id: string,
  { account, changedBy, pspReference }: UpdateRequest,
  tx: Transaction,
  { vault }: HandlerContext,
  updater: Updater,
): Promise<void> {
  const kind = jobKindOf(updater);
  if (kind === undefined) return;
  const { company, merchantAccount } = account;
  const { reference, shopperReference, selectedRecurringDetailReference: recurringDetailReference } = input;
  const filter: DetailFilter = { shopperReference, recurringDetailReference };
  const check: PendingCheck = { merchantAccount, reference, id, ...filter, fingerprint, expiry, changedBy };
  const jobId = pspReference;
  const sealed = vault.seal(scopeOf({ tenant: company, jobId }), { number: number() });
  const afterMs = kind === updaterCheck ? firstRetryMs : 0;
  await tx.jobs.save({ tenant: company, jobId, kind, payload: JSON.stringify(check), sealed, afterMs });
}

/** Deletes the job, updates the details that still hold the card, and enqueues the events, in one transaction. */
export async function completeCheck(
  job: TakenJob,
  outcome: AccountUpdateOutcome,
  tx: Transaction,
  context: HandlerContext,
): Promise<void> {
  const { merchantAccount, reference, fingerprint, expiry, changedBy, ...filter } = checkOf(job);
  const { tenant: company, jobId: pspReference } = job;
  const account = { company, merchantAccount };
  await tx.jobs.end(job);
  // A detail whose card was replaced since the request stays as it is.
  const number = job.sealed && cardOf(job, context).number();
  const held = number === undefined ? [] : await findHeldCards({ number, fingerprint }, account, filter, tx, context);
  const changes = await applyToDetails(held, outcome, { account, changedBy, pspReference }, tx, context);
  const { shopperReference, recurringDetailReference } = filter;
  const result = resultOf(ignoreStale(outcome, expiry));
  const checked = recurringEvent({
    kind: 'checked',
    merchantAccount,
    reference,
    result,
    shopperReference,
    recurringDetailReference,
  });
  await tx.outbox.enqueue({
    tenant: company,
    requestReference: pspReference,
    at: context.clock.now(),
    events: [checked, ...changes],
  });
}

/** The active details of an account that hold the card. `fingerprint`: what was stored of it earlier. Throws `RowAltered`. */
export async function findHeldCards(
  { number, fingerprint: known }: { readonly number: string; readonly fingerprint: string },
  account: Account,
  { shopperReference, recurringDetailReference: reference }: DetailFilter,
  tx: Transaction,
  { vault }: HandlerContext,
): Promise<readonly HeldCard[]> {
  const repository = tx.repository(DetailRepository);
  // Since a check was saved, the index key may have been rotated, and the details have other fingerprints.
  const fingerprints = cardFingerprints(number, account.company, vault, known);
  const match = matchCard(number, account.company, vault);
  const details =
    shopperReference === undefined
      ? await findUnderEach(
          fingerprints,
          (fingerprint) => repository.findDetails(account, { fingerprint, match }),
          ({ detail }) => detail.createdAt,
        )
      : ((await repository.findShopper({ ...account, shopperReference }))?.details ?? [])
          .filter((each) => fingerprints.includes(each.fingerprint))
          .map((detail) => ({ shopperReference, detail: repository.requireMatch(account.company, detail, match) }));
  return details.flatMap(({ shopperReference, detail }): readonly HeldCard[] =>
    isCard(detail) && (reference === undefined || detail.recurringDetailReference === reference)
      ? [{ shopperReference, detail }]
      : [],
  );
}

/** Returns the events of the changes. */
export async function applyToDetails(
  held: readonly HeldCard[],
  outcome: AccountUpdateOutcome,
  { account, ...cause }: UpdateRequest,
  tx: Transaction,
  context: HandlerContext,
): Promise<readonly RecurringEvent[]> {
  const events: RecurringEvent[] = [];
  for (const { shopperReference, detail } of held) {
    const key = { ...account, shopperReference };
    const event = await applyOutcome({ key, ...cause }, detail, outcome, tx, context);
    if (event !== undefined) events.push(event);
  }
  return events;
}

/**
 * Identifies a check to an updater: the same for a request and its retries. Another card is another check, even with the
 * same Idempotency-Key or the same references.
 */
export function checkId(request: string, { company, fingerprint, expiry }: CheckedCard, vault: Vault): string {
  return vault.fingerprint(company, `question ${request} ${fingerprint} ${expiry.expiryMonth}/${expiry.expiryYear}`);
}

export function checkOf({ payload }: TakenJob): PendingCheck {
  return JSON.parse(payload) as PendingCheck;
}

export function cardOf(job: TakenJob, { vault }: HandlerContext): CheckedCard {
  const { fingerprint, expiry } = checkOf(job);
  return {
    company: job.tenant,
    fingerprint,
    expiry,
    number: () => {
      if (job.sealed === undefined) throw new Error('a check has no card number');
      return vault.open(scopeOf(job), job.sealed, 'number');
    },
  };
}

function jobKindOf({ kind }: Updater): JobKind | undefined {
  switch (kind) {
    // An outcome that is not in the store now never will be.
    case 'local':
      return undefined;
    case 'http':
      return updaterCheck;
    case 'batch':
      return batchWait;
    default:
      return kind satisfies never;
  }
}

function scopeOf({ tenant: company, jobId }: Pick<TakenJob, 'tenant' | 'jobId'>) {
  return { tenant: company, record: `job ${jobId}` };
}
