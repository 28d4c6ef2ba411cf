/** scheduleAccountUpdater: asks what has become of a card, and lets the stored details follow (specification, sections 2 and 7). */

import type { CanonicalRequest } from '../../../contract/canonical.ts';
import type { Input, Output } from '../../../contract/operation.ts';
import type { HandlerContext, HandlerOf, TwoPhaseHandler } from '../../../gateway/handler.ts';
import type { ReadTransaction, Transaction } from '../../../store/transaction.ts';
import { cardIdentity, plainMonth } from '../instrument.ts';
import { DetailReader } from '../store/repository.ts';
import type { RecurringOperations } from '../v25.ts';
import { checkedCard, ignoreStale, isCard, resultOf } from './apply-outcome.ts';
import { type Account, applyToHolders, type Held, heldBy, questionId, saveCheck } from './pending-check.ts';
import { CardChangeReader } from './store/card-changes.ts';
import type { AccountUpdateOutcome, CheckedCard, Updater } from './updater.ts';

type Asked = Input<RecurringOperations['scheduleAccountUpdater']>;

/** What somebody outside has told of a card. */
interface Heard {
  /** The same for a request and its retries. */
  readonly request: string;
  /** As what it was asked; absent where there was no card to ask about. */
  readonly id?: string;
  readonly fate?: AccountUpdateOutcome;
}

/** The card that is meant, and the stored details that hold it. */
interface Meant {
  readonly card: CheckedCard;
  readonly held: readonly Held[];
}

const givenCard = (
  { number, expiryMonth, expiryYear }: NonNullable<Asked['card']>,
  company: string,
  world: HandlerContext,
) => ({
  company,
  fingerprint: world.vault.fingerprint(company, cardIdentity(number)),
  expiry: { expiryMonth: plainMonth(expiryMonth), expiryYear },
  number: () => number,
});

/** A card as it was given; its details are those of the merchant account that hold it, as far as the request narrows them down. */
const byCard = async (
  card: CheckedCard,
  asked: Asked,
  account: Account,
  tx: Transaction,
): Promise<Meant | undefined> => {
  const { shopperReference, selectedRecurringDetailReference: recurringDetailReference } = asked;
  const held = await heldBy(card.fingerprint, account, { shopperReference, recurringDetailReference }, tx);
  // A reference to something else than the card that stands beside it is a reference to no stored card.
  return recurringDetailReference !== undefined && held.length === 0 ? undefined : { card, held };
};

const byReference = async (
  asked: Asked,
  account: Account,
  tx: ReadTransaction,
  world: HandlerContext,
): Promise<Meant | undefined> => {
  const { shopperReference, selectedRecurringDetailReference: reference } = asked;
  // The contract has seen to it that both are there.
  if (shopperReference === undefined || reference === undefined) return undefined;
  const detail = await tx.repository(DetailReader).findDetail({ ...account, shopperReference }, reference);
  if (detail === undefined || !isCard(detail)) return undefined;
  return { card: checkedCard(account.company, detail, world), held: [{ shopperReference, detail }] };
};

/** The outcome known within the transaction; a card other than that of the lookup is still to be asked about. */
const outcomeOf = async (
  card: CheckedCard,
  tx: Transaction,
  updater: Updater,
  id: string,
  heard: Heard | undefined,
): Promise<AccountUpdateOutcome> => {
  switch (updater.kind) {
    case 'known':
      return updater.check(card, tx.repository(CardChangeReader));
    case 'asked':
      return heard?.id === id && heard.fate !== undefined ? heard.fate : { kind: 'pending' };
    case 'gathered':
      return { kind: 'pending' };
    default:
      return updater satisfies never;
  }
};

type ScheduleAccountUpdater = RecurringOperations['scheduleAccountUpdater'];

export function scheduleAccountUpdater(updater: Updater): HandlerOf<ScheduleAccountUpdater> {
  const schedule = async (
    { input, caller, pspReference }: CanonicalRequest<ScheduleAccountUpdater>,
    tx: Transaction,
    context: HandlerContext,
    heard?: Heard,
  ): Promise<Output<ScheduleAccountUpdater>> => {
    const account = { company: caller.company, merchantAccount: input.merchantAccount };
    const meant =
      input.card === undefined
        ? await byReference(input, account, tx, context)
        : await byCard(givenCard(input.card, account.company, context), input, account, tx);
    // The specification, section 7: what cannot be scheduled is a result, not a refusal.
    if (meant === undefined) return { pspReference, result: resultOf({ kind: 'failed' }) };
    const { card, held } = meant;
    const id = questionId(heard?.request ?? pspReference, card, context.vault);
    const outcome = await outcomeOf(card, tx, updater, id, heard);
    const occasion = { account, changedBy: caller.credential, pspReference };
    if (outcome.kind === 'pending') {
      await saveCheck(card, input, id, occasion, tx, context, updater);
    } else {
      const events = await applyToHolders(held, outcome, occasion, tx, context);
      await tx.outbox.enqueue({ company: account.company, pspReference, at: context.clock.now(), events });
    }
    return { pspReference, result: resultOf(ignoreStale(outcome, card.expiry)) };
  };
  if (updater.kind !== 'asked') return (request, tx, context) => schedule(request, tx, context);
  const twoPhase: TwoPhaseHandler<ScheduleAccountUpdater, Heard | undefined> = {
    handle: schedule,
    async lookup({ input, caller: { company } }, store, context, request) {
      const account = { company, merchantAccount: input.merchantAccount };
      const card =
        input.card === undefined
          ? (await store.read((tx) => byReference(input, account, tx, context)))?.card
          : givenCard(input.card, company, context);
      if (card === undefined) return { request };
      const id = questionId(request, card, context.vault);
      return { request, id, fate: await updater.ask(card, id) };
    },
  };
  return twoPhase;
}
