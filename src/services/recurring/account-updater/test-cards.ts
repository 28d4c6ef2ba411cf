/** Test card numbers: each has a fate of its own, so that a test can ask for any outcome. */
import type { Expiry } from '../details.ts';
import type { AccountUpdateOutcome, CheckedCard } from './updater.ts';

export interface TestCard {
  readonly number: string;
  /** The result of a check. */
  readonly result: string;
  readonly doc: string;
  fate(expiry: Expiry): AccountUpdateOutcome;
}

const yearMax = 2099;

/** Four years on: as long as most cards hold. */
const renewed = ({ expiryMonth, expiryYear }: Expiry): Expiry => ({
  expiryMonth,
  expiryYear: String(Math.min(Number(expiryYear) + 4, yearMax)),
});

const unchanged = '4000009900000012';

export const testCards: readonly TestCard[] = Object.freeze<TestCard[]>([
  {
    number: unchanged,
    result: 'NoChange',
    doc: 'the card is as it was',
    fate: () => ({ kind: 'unchanged' }),
  },
  {
    number: '4000009900000020',
    result: 'CardExpiryChanged',
    doc: 'it expires four years later than it says',
    fate: (expiry) => ({ kind: 'renewed', expiry: renewed(expiry) }),
  },
  {
    number: '4000009900000038',
    result: 'PANChanged',
    doc: `${unchanged} took its place, and expires four years later`,
    fate: (expiry) => ({ kind: 'replaced', number: unchanged, expiry: renewed(expiry) }),
  },
  {
    number: '4000009900000046',
    result: 'CloseAccount',
    doc: 'its account was closed',
    fate: () => ({ kind: 'closed' }),
  },
  {
    number: '4000009900000053',
    result: 'ContactCardAccountHolder',
    doc: 'its issuer tells no more: the cardholder has to be asked',
    fate: () => ({ kind: 'contactCardholder' }),
  },
  {
    number: '4000009900000061',
    result: 'Success',
    doc: 'the check is under way; of this card nothing more is ever heard',
    fate: () => ({ kind: 'pending' }),
  },
  {
    number: '4000009900000079',
    result: 'Error',
    doc: 'it cannot be checked',
    fate: () => ({ kind: 'failed' }),
  },
]);

export const outcomeOfTestCard = (card: CheckedCard): AccountUpdateOutcome | undefined => {
  const number = card.number();
  return testCards.find((each) => each.number === number)?.fate(card.expiry);
};
