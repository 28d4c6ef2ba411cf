/** Applies the outcome of a check to a stored detail: renews, replaces or disables it, and saves the change in its history. */

import type { HandlerContext } from '../../../core/gateway/index.ts';
import type { Transaction } from '../../../stores/index.ts';
import { cardVariant } from '../brand.ts';
import type { CardSnapshot, DetailChange, Expiry, ShopperKey, StoredDetail } from '../details.ts';
import { detailEvent, type RecurringEvent } from '../events.ts';
import { cardIdentity } from '../instrument.ts';
import { DetailRepository } from '../store/repository.ts';
import { CardChangeRepository } from './store/card-changes.ts';
import type { AccountUpdateOutcome, CheckedCard } from './updater.ts';

/** A stored detail whose instrument is a card. */
export type StoredCard = StoredDetail & {
  readonly publicData: { readonly card: NonNullable<StoredDetail['publicData']['card']> };
};

/** The credential and the request that cause the change of a detail. */
interface UpdateCause {
  readonly key: ShopperKey;
  readonly changedBy: string;
  readonly pspReference: string;
}

/** Returns the event of the change; undefined where the detail stays as it is. */
export async function applyOutcome(
  { key, changedBy, pspReference }: UpdateCause,
  detail: StoredCard,
  outcome: AccountUpdateOutcome,
  tx: Transaction,
  context: HandlerContext,
): Promise<RecurringEvent | undefined> {
  const current = ignoreStale(outcome, detail.publicData.card);
  const { recurringDetailReference } = detail;
  const repository = tx.repository(DetailRepository);
  const changedAt = context.clock.now();
  const saveChange = (after?: StoredCard): Promise<void> => {
    const change: DetailChange = {
      recurringDetailReference,
      changedAt,
      changedBy,
      pspReference,
      outcome: resultOf(current),
      before: snapshotOf(detail),
      after: after && snapshotOf(after),
    };
    return tx.repository(CardChangeRepository).saveChange(key.company, change);
  };
  const update = async (after: StoredCard): Promise<RecurringEvent> => {
    await repository.saveDetail(key, after);
    await saveChange(after);
    return detailEvent('updated', key, after);
  };
  switch (current.kind) {
    case 'renewed':
      return update(renew(detail, current.expiry));
    case 'replaced':
      return update(replace(detail, current.number, current.expiry, key.company, context));
    case 'closed':
      await repository.disableDetail(key, recurringDetailReference, changedAt);
      await saveChange();
      return detailEvent('disabled', key, detail);
    case 'contactCardholder':
      await saveChange();
      return undefined;
    case 'unchanged':
    case 'pending':
    case 'failed':
      return undefined;
    default:
      return current satisfies never;
  }
}

/** A renewal with the same or an older expiry changes nothing. */
export function ignoreStale(outcome: AccountUpdateOutcome, expiry: Expiry): AccountUpdateOutcome {
  return outcome.kind === 'renewed' && months(outcome.expiry) <= months(expiry) ? { kind: 'unchanged' } : outcome;
}

const results: Readonly<Record<AccountUpdateOutcome['kind'], string>> = {
  unchanged: 'NoChange',
  renewed: 'CardExpiryChanged',
  replaced: 'PANChanged',
  closed: 'CloseAccount',
  contactCardholder: 'ContactCardAccountHolder',
  pending: 'Success',
  failed: 'Error',
};

/** The `result` of responses, histories and events. */
export function resultOf({ kind }: AccountUpdateOutcome): string {
  return results[kind];
}

export function isCard(detail: StoredDetail): detail is StoredCard {
  return detail.publicData.card !== undefined;
}

export function checkedCard(company: string, detail: StoredCard, { vault }: HandlerContext): CheckedCard {
  const { recurringDetailReference, fingerprint: stored, publicData, sealed } = detail;
  const { expiryMonth, expiryYear } = publicData.card;
  const number = vault.open({ tenant: company, record: recurringDetailReference }, sealed, 'number');
  const fingerprints = vault.fingerprints(company, cardIdentity(number));
  // An announcement is found by it. The stored one has no MAC, and could be that of another card.
  const fingerprint = fingerprints.includes(stored) ? stored : fingerprints[0]!;
  return {
    company,
    fingerprint,
    // An updater outside gets no more of the card than this.
    expiry: { expiryMonth, expiryYear },
    number: () => number,
  };
}

function months({ expiryMonth, expiryYear }: Expiry): number {
  return Number(expiryYear) * 12 + Number(expiryMonth);
}

function snapshotOf({ publicData: { alias, card } }: StoredCard): CardSnapshot {
  return { alias, expiryMonth: card.expiryMonth, expiryYear: card.expiryYear, lastFour: card.number };
}

function renew(detail: StoredCard, expiry: Expiry): StoredCard {
  const { card, additionalData } = detail.publicData;
  const changed = { card: { ...card, ...expiry }, additionalData: withChange(additionalData, expiry) };
  return { ...detail, publicData: { ...detail.publicData, ...changed } };
}

/** The detail keeps its reference; start date and issue number of the old card are removed. */
function replace(
  detail: StoredCard,
  number: string,
  expiry: Expiry,
  company: string,
  { vault }: HandlerContext,
): StoredCard {
  const { recurringDetailReference, publicData, sealed } = detail;
  const scope = { tenant: company, record: recurringDetailReference };
  const alias = vault.alias(company, number);
  const variant = cardVariant(number) ?? publicData.variant;
  return {
    ...detail,
    fingerprint: vault.fingerprint(company, cardIdentity(number)),
    publicData: {
      ...publicData,
      additionalData: withChange(publicData.additionalData, expiry, { newAlias: alias }),
      alias,
      card: { ...expiry, holderName: publicData.card.holderName, number: number.slice(-4) },
      paymentMethodVariant: variant === publicData.variant ? publicData.paymentMethodVariant : variant,
      variant,
    },
    sealed: vault.seal(scope, {
      number,
      payload: sealed.payload === undefined ? undefined : vault.open(scope, sealed, 'payload'),
    }),
  };
}

/** Adds the change to the additional data, in the order of the keys, as every map is stored. */
function withChange(
  before: StoredDetail['publicData']['additionalData'],
  { expiryMonth, expiryYear }: Expiry,
  alias: { readonly newAlias?: string } = {},
): Readonly<Record<string, string>> {
  const entries = { ...before, ...alias, newExpiryMonth: expiryMonth, newExpiryYear: expiryYear };
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}
