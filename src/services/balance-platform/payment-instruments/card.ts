/** A card as it is asked for and as it is shown: what came with it that is not kept, and what was made. */

import { type Issue, Problem, throwIssues } from '../../../contract/problem.ts';
import type { Infer } from '../../../contract/schema.ts';
import type { HandlerContext } from '../../../gateway/handler.ts';
import { invalid } from '../field-issues.ts';
import type { Records } from '../resource.ts';
import type { cardInfo } from './card-contract.ts';
import { brandVariantsOf, type IssuedCard, issueCard, maskedNumber } from './card-numbers.ts';

export type CardInfo = Infer<typeof cardInfo>;
export type Card = NonNullable<Records['paymentInstrument']['card']>;
type Instrument = Records['paymentInstrument'];

/** The password is not kept. */
const keptInfo = ({
  authentication,
  ...info
}: CardInfo): Omit<CardInfo, 'authentication'> & Pick<Card, 'authentication'> => {
  if (authentication === undefined) return info;
  const { password: _, ...kept } = authentication;
  return Object.keys(kept).length === 0 ? info : { ...info, authentication: kept };
};

export interface MadeCard {
  /** Whole; the record has it masked, and no security code. */
  readonly issued: IssuedCard;
  readonly card: Card;
}

/** A variant is of one brand. */
export const variantIssues = ({ brand, brandVariant }: CardInfo): readonly Issue[] =>
  brandVariantsOf(brand).includes(brandVariant) ? [] : [invalid(['card', 'brandVariant'], brandVariant)];

/** To be asked for a variant that is of the brand. */
export const makeCard = (info: CardInfo, { clock, ids: references }: HandlerContext): MadeCard => {
  const issue = issueCard(info, clock.now(), references.randomDigits);
  if (issue.kind === 'unknown') throw new TypeError(`no cards are made of ${info.brandVariant}`);
  const { bin, expiration, lastFour, number } = issue.card;
  return { issued: issue.card, card: { ...keptInfo(info), bin, expiration, lastFour, number: maskedNumber(number) } };
};

/** What was made stays: brand, variant and form, with the number and its expiry. */
export const changedCard = ({ type, card }: Instrument, info: CardInfo): Card => {
  if (type !== 'card' || card === undefined) throw Problem.of([invalid(['card'])]);
  const fixed = ['brand', 'brandVariant', 'formFactor'] as const;
  throwIssues(fixed.flatMap((name) => (info[name] === card[name] ? [] : invalid(['card', name], info[name]))));
  const { bin, expiration, lastFour, number } = card;
  return { ...keptInfo(info), bin, expiration, lastFour, number };
};
