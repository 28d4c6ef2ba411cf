/** Cards of payment instruments: created from the input of a request, and changed. */

import { type Infer, type Issue, maskAllButLast4, Problem, throwIssues } from '../../../core/contract/index.ts';
import type { HandlerContext } from '../../../core/gateway/index.ts';
import { invalid } from '../problems.ts';
import { type cardInfo, type cardUpdate, maskedPassword } from './card-contract.ts';
import { brandVariantsOf, type IssuedCard, issueCard } from './card-numbers.ts';
import type { PaymentInstrument } from './contract.ts';

type CardInfo = Infer<typeof cardInfo>;
export type CardUpdate = Infer<typeof cardUpdate>;
export type Card = NonNullable<PaymentInstrument['card']>;

export interface CreatedCard {
  /** In full; the record has a masked number and no security code. */
  readonly issued: IssuedCard;
  readonly card: Card;
}

/** The variant must be one of the brand; `variantIssues` checks that before. */
export function createCard(input: CardInfo, { clock, ids }: HandlerContext): CreatedCard {
  const info = toStoredInfo(input);
  const issue = issueCard(info, clock.now(), ids.randomDigits);
  if (issue.kind === 'unknown') throw new TypeError(`no cards are issued of ${info.brandVariant}`);
  const { bin, expiration, lastFour, number } = issue.card;
  const card = { ...info, bin, expiration, lastFour, number: maskAllButLast4(number) };
  return { issued: issue.card, card };
}

export function variantIssues({ brand, brandVariant }: CardInfo): readonly Issue[] {
  return brandVariantsOf(brand).includes(brandVariant.toLowerCase())
    ? []
    : [invalid(['card', 'brandVariant'], brandVariant)];
}

/** Brand, variant, form factor, number and expiry of a card are fixed. */
export function changedCard({ type, card }: PaymentInstrument, input: CardUpdate): Card {
  const { bin: _bin, expiration: _expiration, lastFour: _lastFour, number: _number, ...sent } = input;
  const info = toStoredInfo(sent);
  if (type !== 'card' || card === undefined) throw Problem.of([invalid(['card'])]);
  const fixed = ['brand', 'brandVariant', 'formFactor'] as const;
  throwIssues(fixed.flatMap((name) => (info[name] === card[name] ? [] : invalid(['card', name], info[name]))));
  const { bin, expiration, lastFour, number } = card;
  return { ...info, bin, expiration, lastFour, number };
}

/** The variant in small letters. The password is never stored: the record says only that there is one. */
function toStoredInfo(input: CardInfo): CardInfo {
  const { authentication } = input;
  const info = { ...input, brandVariant: input.brandVariant.toLowerCase() };
  return authentication?.password === undefined
    ? info
    : { ...info, authentication: { ...authentication, password: maskedPassword } };
}
