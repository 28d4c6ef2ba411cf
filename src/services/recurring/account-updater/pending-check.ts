/** A check whose outcome comes after the answer: kept as a job, and settled once, when the outcome is known. */

import type { HandlerContext } from '../../../gateway/handler.ts';
import type { JobKind, TakenJob } from '../../../jobs/job.ts';
import type { Transaction } from '../../../store/transaction.ts';
import type { Vault } from '../../../vault/ports.ts';
import type { DomainEvent } from '../../../webhooks/event.ts';
import type { Expiry, HeldDetail, ShopperKey } from '../details.ts';
import { DetailRepository } from '../store/repository.ts';
import { applyOutcome, ignoreStale, isCard, resultOf, type StoredCard } from './apply-outcome.ts';
import { batchWait, updaterCheck } from './job-kinds.ts';
import type { AccountUpdateOutcome, CheckedCard, Updater } from './updater.ts';

export type Account = Omit<ShopperKey, 'shopperReference'>;

export type Held = HeldDetail & { readonly detail: StoredCard };

/** As far as a request says whose details are meant. */
interface Narrowed {
  readonly shopperReference?: string | undefined;
  readonly recurringDetailReference?: string | undefined;
}

/** Which request lets details follow. */
interface Occasion {
  readonly account: Account;
  readonly changedBy: string;
  readonly pspReference: string;
}

/** What a job keeps of a check; the number is sealed beside it. */
export interface PendingCheck extends Narrowed {
  readonly merchantAccount: string;
  readonly reference: string;
  /** As what it is asked: the same whoever asks, and however often. */
  readonly id: string;
  readonly fingerprint: string;
  readonly expiry: Expiry;
  readonly changedBy: string;
}

const kindOf = ({ kind }: Updater): JobKind | undefined => {
  switch (kind) {
    // What the store does not tell now it never will.
    case 'known':
      return undefined;
    case 'asked':
      return updaterCheck;
    case 'gathered':
      return batchWait;
    default:
      return kind satisfies never;
  }
};

const scopeOf = ({ company, jobId }: Pick<TakenJob, 'company' | 'jobId'>) => ({
  company,
  record: `job ${jobId}`,
});

/** The active details of an account that hold the card. */
export const heldBy = async (
  fingerprint: string,
  account: Account,
  { shopperReference, recurringDetailReference: reference }: Narrowed,
  tx: Transaction,
): Promise<readonly Held[]> => {
  const ofShopper = async (shopperReference: string): Promise<readonly HeldDetail[]> => {
    const details =
      (await tx.repository(DetailRepository).findShopper({ ...account, shopperReference }))?.details ?? [];
    return details.filter((each) => each.fingerprint === fingerprint).map((detail) => ({ shopperReference, detail }));
  };
  const holders =
    shopperReference === undefined
      ? await tx.repository(DetailRepository).findDetails(account, fingerprint)
      : await ofShopper(shopperReference);
  return holders.flatMap(({ shopperReference, detail }): readonly Held[] =>
    isCard(detail) && (reference === undefined || detail.recurringDetailReference === reference)
      ? [{ shopperReference, detail }]
      : [],
  );
};

/** Gives what there is to tell of it. */
export const applyToHolders = async (
  held: readonly Held[],
  fate: AccountUpdateOutcome,
  { account, ...by }: Occasion,
  tx: Transaction,
  world: HandlerContext,
): Promise<readonly DomainEvent[]> => {
  const notices: DomainEvent[] = [];
  for (const { shopperReference, detail } of held) {
    const notice = await applyOutcome({ key: { ...account, shopperReference }, ...by }, detail, fate, tx, world);
    if (notice !== undefined) notices.push(notice);
  }
  return notices;
};

/** Who has just not told is not asked again at once. */
const askAgainMs = 2_000;

/** Keeps the check, where somebody goes on with it. */
export const saveCheck = async (
  { fingerprint, expiry, number }: CheckedCard,
  asked: {
    readonly reference: string;
    readonly shopperReference?: string | undefined;
    readonly selectedRecurringDetailReference?: string | undefined;
  },
  id: string,
  { account, changedBy, pspReference }: Occasion,
  tx: Transaction,
  { vault }: HandlerContext,
  updater: Updater,
): Promise<void> => {
  const kind = kindOf(updater);
  if (kind === undefined) return;
  const { company, merchantAccount } = account;
  const { reference, shopperReference, selectedRecurringDetailReference: recurringDetailReference } = asked;
  const narrowed: Narrowed = { shopperReference, recurringDetailReference };
  const check: PendingCheck = { merchantAccount, reference, id, ...narrowed, fingerprint, expiry, changedBy };
  const jobId = pspReference;
  const sealed = vault.seal(scopeOf({ company, jobId }), { number: number() });
  const afterMs = kind === updaterCheck ? askAgainMs : 0;
  await tx.jobs.save({ company, jobId, kind, payload: JSON.stringify(check), sealed, afterMs });
};

/** A check that nobody has answered for so long ends as one that could not be made. */
export const pendingMsMax = 10 * 24 * 60 * 60_000;

/**
 * As what an updater is asked: the same whenever the same is asked for one request and its retries. Another card is another
 * question, though it be asked under the same key, or by the same references.
 */
export const questionId = (request: string, { company, fingerprint, expiry }: CheckedCard, vault: Vault): string =>
  vault.fingerprint(company, `question ${request} ${fingerprint} ${expiry.expiryMonth}/${expiry.expiryYear}`);

export const checkOf = ({ payload }: TakenJob): PendingCheck => JSON.parse(payload) as PendingCheck;

/** The card of a check. */
export const cardOf = (job: TakenJob, { vault }: HandlerContext): CheckedCard => {
  const { fingerprint, expiry } = checkOf(job);
  return {
    company: job.company,
    fingerprint,
    expiry,
    number: () => {
      if (job.sealed === undefined) throw new Error('a check is without its card');
      return vault.open(scopeOf(job), job.sealed, 'number');
    },
  };
};

/**
 * Lets follow what holds the card still, tells the outcome to who has asked, whatever it is, and ends the job: all of it in
 * the unit, so that an outcome is applied once.
 */
export const completeCheck = async (
  job: TakenJob,
  fate: AccountUpdateOutcome,
  tx: Transaction,
  world: HandlerContext,
): Promise<void> => {
  const { merchantAccount, reference, fingerprint, expiry, changedBy, ...narrowed } = checkOf(job);
  const { company, jobId: pspReference } = job;
  const account = { company, merchantAccount };
  await tx.jobs.end(job);
  // A shopper who has given another card in the meantime is left alone.
  const held = await heldBy(fingerprint, account, narrowed, tx);
  const changes = await applyToHolders(held, fate, { account, changedBy, pspReference }, tx, world);
  const { shopperReference, recurringDetailReference } = narrowed;
  const result = resultOf(ignoreStale(fate, expiry));
  const outcome: DomainEvent = {
    kind: 'checked',
    merchantAccount,
    reference,
    result,
    shopperReference,
    recurringDetailReference,
  };
  await tx.outbox.enqueue({ company, pspReference, at: world.clock.now(), events: [outcome, ...changes] });
};
