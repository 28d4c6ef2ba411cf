/** A card as it is asked for and as it is shown: what came with it that is not kept, and what was made. */
import type { cardInfo } from '../../api/balance-platform/card.ts';
import { Problem } from '../../contract/problem.ts';
import type { Infer } from '../../contract/shape.ts';
import type { World } from '../handler.ts';
import { type IssuedCard, issueCard, maskedNumber } from './issued-cards.ts';
import type { Records } from './ports.ts';

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

/** Throws a Problem for a variant that is not of the brand. */
export const makeCard = (info: CardInfo, { clock, references }: World): MadeCard => {
  const issue = issueCard(info, clock.now(), references.digits);
  if (issue.kind === 'unknown') throw Problem.at(['card', issue.field], 'invalidField', `card.${issue.field}`);
  const { bin, expiration, lastFour, number } = issue.card;
  return { issued: issue.card, card: { ...keptInfo(info), bin, expiration, lastFour, number: maskedNumber(number) } };
};

/** What was made stays: brand, variant and form, with the number and its expiry. */
export const changedCard = ({ type, card }: Instrument, info: CardInfo): Card => {
  if (type !== 'card' || card === undefined) throw Problem.at(['card'], 'invalidField', 'card');
  for (const name of ['brand', 'brandVariant', 'formFactor'] as const)
    if (info[name] !== card[name]) throw Problem.at(['card', name], 'invalidField', `card.${name}`);
  const { bin, expiration, lastFour, number } = card;
  return { ...keptInfo(info), bin, expiration, lastFour, number };
};
