/** Test card numbers: each has a fixed outcome, so that a test can get any of them. */
import type { Expiry } from '../details.ts';
import type { AccountUpdateOutcome, CheckedCard } from './updater.ts';

interface TestCard {
  readonly number: string;
  /** The result of a check. */
  readonly result: string;
  readonly doc: string;
  outcome(expiry: Expiry): AccountUpdateOutcome;
}

const yearMax = 2099;
const unchanged = '4000009900000012';

export const testCards: readonly TestCard[] = Object.freeze<TestCard[]>([
  {
    number: unchanged,
    result: 'NoChange',
    doc: 'the card is as it was',
    outcome: () => ({ kind: 'unchanged' }),
  },
  {
    number: '4000009900000020',
    result: 'CardExpiryChanged',
    doc: 'the card expires four years later',
    outcome: (expiry) => ({ kind: 'renewed', expiry: fourYearsLater(expiry) }),
  },
  {
    number: '4000009900000038',
    result: 'PANChanged',
    doc: `replaced by ${unchanged}, which expires four years later`,
    outcome: (expiry) => ({ kind: 'replaced', number: unchanged, expiry: fourYearsLater(expiry) }),
  },
  {
    number: '4000009900000046',
    result: 'CloseAccount',
    doc: 'the account was closed',
    outcome: () => ({ kind: 'closed' }),
  },
  {
    number: '4000009900000053',
    result: 'ContactCardAccountHolder',
    doc: 'the issuer reports no more: ask the cardholder',
    outcome: () => ({ kind: 'contactCardholder' }),
  },
  {
    number: '4000009900000061',
    result: 'Success',
    doc: 'the check stays pending: no outcome follows',
    outcome: () => ({ kind: 'pending' }),
  },
  {
    number: '4000009900000079',
    result: 'Error',
    doc: 'the card cannot be checked',
    outcome: () => ({ kind: 'failed' }),
  },
]);

export function outcomeOfTestCard(card: CheckedCard): AccountUpdateOutcome | undefined {
  const number = card.number();
  return testCards.find((each) => each.number === number)?.outcome(card.expiry);
}

/** As long as most cards are valid. */
function fourYearsLater({ expiryMonth, expiryYear }: Expiry): Expiry {
  return { expiryMonth, expiryYear: String(Math.min(Number(expiryYear) + 4, yearMax)) };
}
