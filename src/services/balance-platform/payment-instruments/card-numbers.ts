/** Issues cards: number, expiry and security code are created from random digits. */

import { appendLuhnDigit } from '../../../contract/check-digits.ts';
import { cardRanges } from './card-ranges.ts';
import type { Digits } from './digits.ts';

export interface IssuedCard {
  /** 16 digits, Luhn valid. The number may exist already: the caller checks that, and asks for another one. */
  readonly number: string;
  /** The first six digits. */
  readonly bin: string;
  readonly lastFour: string;
  /** 3 digits. */
  readonly cvc: string;
  /** Two digits and four. */
  readonly expiration: { readonly month: string; readonly year: string };
}

export type CardIssue =
  | { readonly kind: 'issued'; readonly card: IssuedCard }
  /** `field` of the request has an unknown value. */
  | { readonly kind: 'unknown'; readonly field: 'brand' | 'brandVariant' };

const numberLength = 16;
const cvcLength = 3;
const yearsValid = 4;

/** Issues a card of the brand and the variant. `now`: milliseconds since the epoch. */
export function issueCard(
  { brand, brandVariant }: { readonly brand: string; readonly brandVariant: string },
  now: number,
  digits: Digits,
): CardIssue {
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
}

/** The variants of a brand; none where the brand is unknown. */
export function brandVariantsOf(brand: string): readonly string[] {
  return cardRanges.filter((range) => range.brand === brand).map((range) => range.brandVariant);
}

/** Returns the present month four years later (UTC). `now`: milliseconds since the epoch. */
export function expirationFrom(now: number): IssuedCard['expiration'] {
  const date = new Date(now);
  return {
    month: String(date.getUTCMonth() + 1).padStart(2, '0'),
    year: String(date.getUTCFullYear() + yearsValid),
  };
}
