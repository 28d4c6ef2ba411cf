/** A check whose outcome comes after the answer: kept as a job, and settled once, when the outcome is known. */
import type { World } from '../handler.ts';
import type { CheckedCard, Expiry, Fate, HeldDetail, JobKind, ShopperKey, TakenJob, Unit, Updater } from '../ports.ts';
import { followCard, isCard, type StoredCard } from './follow-card.ts';

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
      return 'check';
    case 'gathered':
      return 'gather';
    default:
      return kind satisfies never;
  }
};

const scopeOf = ({ company, jobId }: Pick<TakenJob, 'company' | 'jobId'>) => ({
  company,
  recurringDetailReference: `job ${jobId}`,
});

/** The active details of an account that hold the card. */
export const heldBy = async (
  fingerprint: string,
  account: Account,
  { shopperReference, recurringDetailReference: reference }: Narrowed,
  unit: Unit,
): Promise<readonly Held[]> => {
  const ofShopper = async (shopperReference: string): Promise<readonly HeldDetail[]> => {
    const details = (await unit.findShopper({ ...account, shopperReference }))?.details ?? [];
    return details.filter((each) => each.fingerprint === fingerprint).map((detail) => ({ shopperReference, detail }));
  };
  const holders =
    shopperReference === undefined ? await unit.findDetails(account, fingerprint) : await ofShopper(shopperReference);
  return holders.flatMap(({ shopperReference, detail }): readonly Held[] =>
    isCard(detail) && (reference === undefined || detail.recurringDetailReference === reference)
      ? [{ shopperReference, detail }]
      : [],
  );
};

export const letFollow = async (
  held: readonly Held[],
  fate: Fate,
  { account, ...by }: Occasion,
  unit: Unit,
  world: World,
): Promise<void> => {
  for (const { shopperReference, detail } of held)
    await followCard({ key: { ...account, shopperReference }, ...by }, detail, fate, unit, world);
};

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
  unit: Unit,
  { updater, vault }: World,
): Promise<void> => {
  const kind = kindOf(updater);
  if (kind === undefined) return;
  const { company, merchantAccount } = account;
  const { reference, shopperReference, selectedRecurringDetailReference: recurringDetailReference } = asked;
  const narrowed: Narrowed = { shopperReference, recurringDetailReference };
  const check: PendingCheck = { merchantAccount, reference, id, ...narrowed, fingerprint, expiry, changedBy };
  const jobId = pspReference;
  const sealed = vault.seal(scopeOf({ company, jobId }), { number: number() });
  await unit.saveJob({ company, jobId, kind, payload: JSON.stringify(check), sealed });
};

export const checkOf = ({ payload }: TakenJob): PendingCheck => JSON.parse(payload) as PendingCheck;

/** The card of a check. */
export const cardOf = (job: TakenJob, { vault }: World): CheckedCard => {
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

/** Lets follow what holds the card still, and ends the job: all of it in the unit, so that an outcome is applied once. */
export const settleCheck = async (job: TakenJob, fate: Fate, unit: Unit, world: World): Promise<void> => {
  const { merchantAccount, fingerprint, changedBy, ...narrowed } = checkOf(job);
  const account = { company: job.company, merchantAccount };
  await unit.endJob(job);
  // A shopper who has given another card in the meantime is left alone.
  const held = await heldBy(fingerprint, account, narrowed, unit);
  await letFollow(held, fate, { account, changedBy, pspReference: job.jobId }, unit, world);
};
