/** What a stored detail becomes when its card was renewed, replaced or closed. */

import type { HandlerContext } from '../../../gateway/handler.ts';
import type { Transaction } from '../../../store/transaction.ts';
import { cardVariant } from '../brand.ts';
import type { CardSnapshot, DetailChange, Expiry, ShopperKey, StoredDetail } from '../details.ts';
import { type DetailEventData, detailEvent } from '../events.ts';
import { cardIdentity } from '../instrument.ts';
import { DetailRepository } from '../store/repository.ts';
import { CardChangeRepository } from './store/card-changes.ts';
import type { AccountUpdateOutcome, CheckedCard } from './updater.ts';

/** A stored detail whose instrument is a card. */
export type StoredCard = StoredDetail & {
  readonly open: { readonly card: NonNullable<StoredDetail['open']['card']> };
};

export const isCard = (detail: StoredDetail): detail is StoredCard => detail.open.card !== undefined;

/** Who changes it, and by which request. */
export interface UpdateCause {
  readonly key: ShopperKey;
  readonly changedBy: string;
  readonly pspReference: string;
}

const months = ({ expiryMonth, expiryYear }: Expiry): number => Number(expiryYear) * 12 + Number(expiryMonth);

/** A renewal that the card has seen already is none: the same or an older expiry changes nothing. */
export const ignoreStale = (fate: AccountUpdateOutcome, expiry: Expiry): AccountUpdateOutcome =>
  fate.kind === 'renewed' && months(fate.expiry) <= months(expiry) ? { kind: 'unchanged' } : fate;

export const resultOf = ({ kind }: AccountUpdateOutcome): string => {
  switch (kind) {
    case 'unchanged':
      return 'NoChange';
    case 'renewed':
      return 'CardExpiryChanged';
    case 'replaced':
      return 'PANChanged';
    case 'closed':
      return 'CloseAccount';
    case 'contactCardholder':
      return 'ContactCardAccountHolder';
    case 'pending':
      return 'Success';
    case 'failed':
      return 'Error';
    default:
      return kind satisfies never;
  }
};

export const checkedCard = (company: string, detail: StoredCard, { vault }: HandlerContext): CheckedCard => {
  const { recurringDetailReference, fingerprint, open, sealed } = detail;
  const { expiryMonth, expiryYear } = open.card;
  return {
    company,
    fingerprint,
    // No more of the card than that: it leaves the house.
    expiry: { expiryMonth, expiryYear },
    number: () => vault.open({ company, record: recurringDetailReference }, sealed, 'number'),
  };
};

const shown = ({ open: { alias, card } }: StoredCard): CardSnapshot => ({
  alias,
  expiryMonth: card.expiryMonth,
  expiryYear: card.expiryYear,
  lastFour: card.number,
});

/** What was there with the news beside it, in the order of the keys, as every map is kept. */
const told = (
  before: StoredDetail['open']['additionalData'],
  { expiryMonth, expiryYear }: Expiry,
  alias: { readonly newAlias?: string } = {},
): Readonly<Record<string, string>> => {
  const entries = { ...before, ...alias, newExpiryMonth: expiryMonth, newExpiryYear: expiryYear };
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
};

const renew = (detail: StoredCard, expiry: Expiry): StoredCard => {
  const { card, additionalData } = detail.open;
  const open = { card: { ...card, ...expiry }, additionalData: told(additionalData, expiry) };
  return { ...detail, open: { ...detail.open, ...open } };
};

/** The detail keeps its reference; what was said of the old piece of plastic goes with it. */
const replace = (
  detail: StoredCard,
  number: string,
  expiry: Expiry,
  company: string,
  { vault }: HandlerContext,
): StoredCard => {
  const { recurringDetailReference, open, sealed } = detail;
  const scope = { company, record: recurringDetailReference };
  const alias = vault.alias(company, number);
  const variant = cardVariant(number) ?? open.variant;
  return {
    ...detail,
    fingerprint: vault.fingerprint(company, cardIdentity(number)),
    open: {
      ...open,
      additionalData: told(open.additionalData, expiry, { newAlias: alias }),
      alias,
      card: { ...expiry, holderName: open.card.holderName, number: number.slice(-4) },
      paymentMethodVariant: variant === open.variant ? open.paymentMethodVariant : variant,
      variant,
    },
    sealed: vault.seal(scope, {
      number,
      shown: sealed.shown === undefined ? undefined : vault.open(scope, sealed, 'shown'),
    }),
  };
};

/** Lets the detail follow, and keeps what happened in its history; gives what there is to tell of it. Nothing happens where there is no news. */
export const applyOutcome = async (
  { key, changedBy, pspReference }: UpdateCause,
  detail: StoredCard,
  fate: AccountUpdateOutcome,
  tx: Transaction,
  world: HandlerContext,
): Promise<DetailEventData | undefined> => {
  const news = ignoreStale(fate, detail.open.card);
  const { recurringDetailReference } = detail;
  const changedAt = world.clock.now();
  const keep = (after?: StoredCard): Promise<void> => {
    const change: DetailChange = {
      recurringDetailReference,
      changedAt,
      changedBy,
      pspReference,
      outcome: resultOf(news),
      before: shown(detail),
      after: after && shown(after),
    };
    return tx.repository(CardChangeRepository).saveChange(key.company, change);
  };
  const becomes = async (after: StoredCard): Promise<DetailEventData> => {
    await tx.repository(DetailRepository).saveDetail(key, after);
    await keep(after);
    return detailEvent('updated', key, after);
  };
  switch (news.kind) {
    case 'renewed':
      return becomes(renew(detail, news.expiry));
    case 'replaced':
      return becomes(replace(detail, news.number, news.expiry, key.company, world));
    case 'closed':
      await tx.repository(DetailRepository).disableDetail(key, recurringDetailReference, changedAt);
      await keep();
      return detailEvent('disabled', key, detail);
    case 'contactCardholder':
      await keep();
      return undefined;
    case 'unchanged':
    case 'pending':
    case 'failed':
      return undefined;
    default:
      return news satisfies never;
  }
};
