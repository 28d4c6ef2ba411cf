/** Issues cards: number, expiry and security code are created from random digits. */

import { appendLuhnDigit } from '../../../core/contract/index.ts';
import type { IdGenerator } from '../../../core/lib/index.ts';

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

type CardIssue =
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
  digits: IdGenerator['randomDigits'],
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

/** First six digits of a card number (ISO/IEC 7812-1); nine random digits and a check digit follow. */
interface CardRange {
  readonly brand: string;
  readonly brandVariant: string;
  readonly bin: string;
}

/**
 * Each range is that of a published test number, in the comment of its line: no bank issues cards here, and an issued number
 * must never be sent to a live network. Where the published lists name the product (debit, prepaid, corporate), the variant
 * follows them; no published Visa number is marked prepaid. Not used: `400000`, the range of the account updater's test
 * cards, and `411111` and `555544`, the ranges of the demo's stored cards.
 */
export const cardRanges: readonly CardRange[] = Object.freeze([
  range('visa', 'visa', '401288'), // 4012 8888 8888 1881
  range('visa', 'visacorporate', '400159'), // 4001 5900 0000 0001, corporate
  range('visa', 'visacredit', '424242'), // 4242 4242 4242 4242
  range('visa', 'visadebit', '400005'), // 4000 0566 5566 5556, debit
  range('visa', 'visaprepaid', '450060'), // 4500 6000 0000 0061
  range('mc', 'mc', '555555'), // 5555 5555 5555 4444
  range('mc', 'mccredit', '222300'), // 2223 0000 4841 0010, credit
  range('mc', 'mccommercialcredit_b2b', '510118'), // 5101 1800 0000 0007, commercial
  range('mc', 'mccorporate', '222241'), // 2222 4107 4036 0010, corporate
  range('mc', 'mcdebit', '520082'), // 5200 8282 8282 8210, debit
  range('mc', 'mcbusinessdebit', '550000'), // 5500 0000 0000 0004, debit
  range('mc', 'mcbusinessworlddebit', '222352'), // 2223 5204 4356 0010, debit
  range('mc', 'mcprepaid', '510510'), // 5105 1051 0510 5100, prepaid
  range('mc', 'mcmaestro', '677179'), // 6771 7980 2100 0008
]);

function range(brand: string, brandVariant: string, bin: string): CardRange {
  return Object.freeze({ brand, brandVariant, bin });
}
