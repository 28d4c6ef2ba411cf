/** Cards as they are issued: number, expiry and security code are made here, from chance that is given in. */

import { appendLuhnDigit } from '../../../contract/check-digits.ts';
import { maskAllButLast4 } from '../../../idempotency/redacted-output.ts';
import { cardRanges } from './card-ranges.ts';
import type { Digits } from './digits.ts';

export interface IssuedCard {
  /** 16 digits, Luhn valid. Whether it was issued before is for the caller to find out, who then asks for another one. */
  readonly number: string;
  /** The first six digits, as the public interface shows them. */
  readonly bin: string;
  readonly lastFour: string;
  /** 3 digits. */
  readonly cvc: string;
  /** Two digits and four. */
  readonly expiration: { readonly month: string; readonly year: string };
}

export type CardIssue =
  | { readonly kind: 'issued'; readonly card: IssuedCard }
  /** `field` of the request names what is not known here. */
  | { readonly kind: 'unknown'; readonly field: 'brand' | 'brandVariant' };

const numberLength = 16;
const cvcLength = 3;
const yearsValid = 4;

/** Variants that a card of this brand may be of; none where the brand is not known. */
export const brandVariantsOf = (brand: string): readonly string[] =>
  cardRanges.filter((range) => range.brand === brand).map((range) => range.brandVariant);

/** `************2357`: all but the last four digits are hidden. */
export const maskedNumber = maskAllButLast4;

/** The same month four years on. `now`: milliseconds since the epoch; the month is that of UTC. */
export const expirationFrom = (now: number): IssuedCard['expiration'] => {
  const date = new Date(now);
  return {
    month: String(date.getUTCMonth() + 1).padStart(2, '0'),
    year: String(date.getUTCFullYear() + yearsValid),
  };
};

/** Makes a card of the brand and the variant. `now`: milliseconds since the epoch. */
export const issueCard = (
  { brand, brandVariant }: { readonly brand: string; readonly brandVariant: string },
  now: number,
  digits: Digits,
): CardIssue => {
  const range = cardRanges.find((each) => each.brand === brand && each.brandVariant === brandVariant);
  if (range === undefined)
    return { kind: 'unknown', field: brandVariantsOf(brand).length === 0 ? 'brand' : 'brandVariant' };
  const number = appendLuhnDigit(range.bin + digits(numberLength - range.bin.length - 1));
  return {
    kind: 'issued',
    card: {
      number,
      bin: range.bin,
      lastFour: number.slice(-4),
      cvc: digits(cvcLength),
      expiration: expirationFrom(now),
    },
  };
};
