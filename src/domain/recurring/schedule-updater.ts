/** scheduleAccountUpdater: asks what has become of a card, and lets the stored details follow (specification, sections 2 and 7). */
import type { RecurringOperations } from '../../api/recurring/v25.ts';
import type { Input } from '../../contract/operation.ts';
import type { Handler, World } from '../handler.ts';
import type { CheckedCard, HeldDetail, ShopperKey, Unit } from '../ports.ts';
import { asNews, checkedCard, followCard, isCard, resultOf, type StoredCard } from './follow-card.ts';
import { cardIdentity, plainMonth } from './instrument.ts';

type Asked = Input<RecurringOperations['scheduleAccountUpdater']>;
type Account = Omit<ShopperKey, 'shopperReference'>;

type Held = HeldDetail & { readonly detail: StoredCard };

/** The card that is meant, and the stored details that hold it. */
interface Meant {
  readonly card: CheckedCard;
  readonly held: readonly Held[];
}

const givenCard = ({ number, expiryMonth, expiryYear }: NonNullable<Asked['card']>, company: string, world: World) => ({
  company,
  fingerprint: world.vault.fingerprint(company, cardIdentity(number)),
  expiry: { expiryMonth: plainMonth(expiryMonth), expiryYear },
  number: () => number,
});

const ofShopper = async (key: ShopperKey, fingerprint: string, unit: Unit): Promise<readonly HeldDetail[]> => {
  const { shopperReference } = key;
  const details = (await unit.findShopper(key))?.details ?? [];
  return details.filter((each) => each.fingerprint === fingerprint).map((detail) => ({ shopperReference, detail }));
};

/** A card as it was given; its details are those of the merchant account that hold it, as far as the request narrows them down. */
const byCard = async (card: CheckedCard, asked: Asked, account: Account, unit: Unit): Promise<Meant | undefined> => {
  const { shopperReference, selectedRecurringDetailReference: reference } = asked;
  const holders =
    shopperReference === undefined
      ? await unit.findDetails(account, card.fingerprint)
      : await ofShopper({ ...account, shopperReference }, card.fingerprint, unit);
  const held = holders.flatMap(({ shopperReference, detail }): readonly Held[] =>
    isCard(detail) && (reference === undefined || detail.recurringDetailReference === reference)
      ? [{ shopperReference, detail }]
      : [],
  );
  // A reference to something else than the card that stands beside it is a reference to no stored card.
  return reference !== undefined && held.length === 0 ? undefined : { card, held };
};

const byReference = async (asked: Asked, account: Account, unit: Unit, world: World): Promise<Meant | undefined> => {
  const { shopperReference, selectedRecurringDetailReference: reference } = asked;
  // The contract has seen to it that both are there.
  if (shopperReference === undefined || reference === undefined) return undefined;
  const shopper = await unit.findShopper({ ...account, shopperReference });
  const detail = shopper?.details.find(({ recurringDetailReference }) => recurringDetailReference === reference);
  if (detail === undefined || !isCard(detail)) return undefined;
  return { card: checkedCard(account.company, detail, world), held: [{ shopperReference, detail }] };
};

export const scheduleAccountUpdater: Handler<RecurringOperations['scheduleAccountUpdater']> = async (
  { input, caller, pspReference },
  unit,
  world,
) => {
  const account = { company: caller.company, merchantAccount: input.merchantAccount };
  const meant =
    input.card === undefined
      ? await byReference(input, account, unit, world)
      : await byCard(givenCard(input.card, account.company, world), input, account, unit);
  // The specification, section 7: what cannot be scheduled is a result, not a refusal.
  if (meant === undefined) return { pspReference, result: resultOf({ kind: 'failed' }) };
  const { card, held } = meant;
  const fate = await world.updater.check(card, unit);
  for (const { shopperReference, detail } of held) {
    const key = { ...account, shopperReference };
    await followCard({ key, changedBy: caller.credential, pspReference }, detail, fate, unit, world);
  }
  return { pspReference, result: resultOf(asNews(fate, card.expiry)) };
};
