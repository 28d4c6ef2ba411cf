/** scheduleAccountUpdater: checks a card and applies the outcome to the stored details (specification, sections 2 and 7). */

import type { CanonicalRequest, Input, Output } from '../../../core/contract/index.ts';
import type { HandlerContext } from '../../../core/gateway/index.ts';
import type { HandlerOf, ReadTransaction, Transaction, TwoPhaseHandler } from '../../../stores/index.ts';
import type { RecurringOperations } from '../contract.ts';
import { cardIdentity, checkSecurityCode, plainMonth } from '../instrument.ts';
import { DetailReader } from '../store/repository.ts';
import { checkedCard, ignoreStale, isCard, resultOf } from './apply-outcome.ts';
import { type Account, applyToDetails, checkId, findHeldCards, type HeldCard, saveCheck } from './pending-check.ts';
import { CardChangeRepository } from './store/card-changes.ts';
import type { AccountUpdateOutcome, CheckedCard, Updater } from './updater.ts';

type ScheduleAccountUpdater = RecurringOperations['scheduleAccountUpdater'];
type Request = Input<ScheduleAccountUpdater>;

/** The response of the HTTP updater. */
interface LookupResult {
  /** Names a request and its retries. */
  readonly request: string;
  /** See `checkId`; absent where there was no card to check. */
  readonly id?: string;
  readonly outcome?: AccountUpdateOutcome;
}

/** A card, and the stored details that hold it. */
interface Target {
  readonly card: CheckedCard;
  readonly held: readonly HeldCard[];
}

/** With the HTTP updater the handler has two phases: the card is checked before the transaction begins. */
export function scheduleAccountUpdater(updater: Updater): HandlerOf<ScheduleAccountUpdater> {
  const schedule = async (
    { input, caller, requestReference: pspReference }: CanonicalRequest<ScheduleAccountUpdater>,
    tx: Transaction,
    context: HandlerContext,
    lookupResult?: LookupResult,
  ): Promise<Output<ScheduleAccountUpdater>> => {
    const account = { company: caller.tenant, merchantAccount: input.merchantAccount };
    const target =
      input.card === undefined
        ? await findByReference(input, account, tx, context)
        : await findByCard(cardOfRequest(input.card, account.company, context), input, account, tx, context);
    // The specification, section 7: a failed scheduling is a result, not a refusal.
    if (target === undefined) return { pspReference, result: resultOf({ kind: 'failed' }) };
    const { card, held } = target;
    const id = checkId(lookupResult?.request ?? pspReference, card, context.vault);
    const outcome = await outcomeOf(card, tx, updater, id, lookupResult);
    const request = { account, changedBy: caller.credential, pspReference };
    if (outcome.kind === 'pending') {
      await saveCheck(card, input, id, request, tx, context, updater);
    } else {
      const events = await applyToDetails(held, outcome, request, tx, context);
      await tx.outbox.enqueue({
        tenant: account.company,
        requestReference: pspReference,
        at: context.clock.now(),
        events,
      });
    }
    return { pspReference, result: resultOf(ignoreStale(outcome, card.expiry)) };
  };
  if (updater.kind !== 'http') return (request, tx, context) => schedule(request, tx, context);
  const twoPhase: TwoPhaseHandler<ScheduleAccountUpdater, LookupResult | undefined> = {
    handle: schedule,
    async lookup({ input, caller: { tenant: company } }, store, context, request) {
      const account = { company, merchantAccount: input.merchantAccount };
      const card =
        input.card === undefined
          ? (await store.read((tx) => findByReference(input, account, tx, context)))?.card
          : cardOfRequest(input.card, company, context);
      if (card === undefined) return { request };
      const id = checkId(request, card, context.vault);
      return { request, id, outcome: await updater.check(card, id) };
    },
  };
  return twoPhase;
}

/** A card that is not the one of the lookup (its detail has changed since) is checked by a job. */
async function outcomeOf(
  card: CheckedCard,
  tx: Transaction,
  updater: Updater,
  id: string,
  lookupResult: LookupResult | undefined,
): Promise<AccountUpdateOutcome> {
  switch (updater.kind) {
    case 'local':
      return updater.check(card, tx.repository(CardChangeRepository));
    case 'http':
      return lookupResult?.id === id && lookupResult.outcome !== undefined ? lookupResult.outcome : { kind: 'pending' };
    case 'batch':
      return { kind: 'pending' };
    default:
      return updater satisfies never;
  }
}

/** The details of the merchant account that hold the card, as far as the request does not restrict them. */
async function findByCard(
  card: CheckedCard,
  input: Request,
  account: Account,
  tx: Transaction,
  context: HandlerContext,
): Promise<Target | undefined> {
  const { shopperReference, selectedRecurringDetailReference: recurringDetailReference } = input;
  const searched = { number: card.number(), fingerprint: card.fingerprint };
  const held = await findHeldCards(searched, account, { shopperReference, recurringDetailReference }, tx, context);
  // With both, the reference must be that of a detail with this card.
  return recurringDetailReference !== undefined && held.length === 0 ? undefined : { card, held };
}

async function findByReference(
  input: Request,
  account: Account,
  tx: ReadTransaction,
  context: HandlerContext,
): Promise<Target | undefined> {
  const { shopperReference, selectedRecurringDetailReference: reference } = input;
  // The contract requires both without a card.
  if (shopperReference === undefined || reference === undefined) return undefined;
  const detail = await tx.repository(DetailReader).findDetail({ ...account, shopperReference }, reference);
  if (detail === undefined || !isCard(detail)) return undefined;
  return { card: checkedCard(account.company, detail, context), held: [{ shopperReference, detail }] };
}

function cardOfRequest(card: NonNullable<Request['card']>, company: string, { vault }: HandlerContext): CheckedCard {
  checkSecurityCode(card);
  const { number, expiryMonth, expiryYear } = card;
  return {
    company,
    fingerprint: vault.fingerprint(company, cardIdentity(number)),
    expiry: { expiryMonth: plainMonth(expiryMonth), expiryYear },
    number: () => number,
  };
}
