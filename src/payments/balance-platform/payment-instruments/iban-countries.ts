/** The countries in which bank accounts get an IBAN, and how a basic bank account number (BBAN) is created in each. */

import { modulo97 } from '../../../core/contract/index.ts';
import type { IdGenerator } from '../../../core/lib/index.ts';

/**
 * The bank is `TEST` where a BBAN names it by letters, and zeros where by digits, so that no number is one of a real bank. In
 * Belgium 000 is a bank; 985 is one of the numbers that its National Bank had not assigned on 1 October 2022.
 */
const countries = {
  BE: (digits) => withBelgianCheck(`985${digits(7)}`),
  CZ: (digits) => `0000000000${withCzechCheck(digits(9))}`,
  DE: (digits) => `00000000${digits(10)}`,
  DK: (digits) => `0000${digits(10)}`,
  ES: (digits) => withSpanishCheck('00000000', digits(10)),
  FR: (digits) => withFrenchKey(`0000000000${digits(11)}`),
  GB: (digits) => `TEST0000${digits(10)}`,
  HU: (digits) => `00000000${withHungarianCheck(digits(15))}`,
  IE: (digits) => `TEST0000${digits(10)}`,
  IT: (digits) => withItalianCheck(`0000000000${digits(12)}`),
  NL: (digits) => `TEST${digits(10)}`,
  // A million numbers.
  NO: (digits) => withNorwegianCheck(`0000${digits(6)}`),
  PL: (digits) => `00000000${digits(16)}`,
  SE: (digits) => `000${digits(17)}`,
} as const satisfies Readonly<Record<string, (digits: IdGenerator['randomDigits']) => string>>;

export type IbanCountry = keyof typeof countries;

export const ibanCountries = Object.freeze(Object.keys(countries)) as readonly IbanCountry[];

/** Creates an IBAN with the check digits of ISO 13616, and with those of its country. */
export function createIban(country: IbanCountry, digits: IdGenerator['randomDigits']): string {
  const bban = countries[country](digits);
  return `${country}${twoDigits(98 - modulo97(`${bban}${country}00`))}${bban}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** The remainder of division by 97, with 97 for zero. */
function withBelgianCheck(digits: string): string {
  return `${digits}${twoDigits(modulo97(digits) || 97)}`;
}

/** The last digit makes the weighted sum a multiple of 11. */
function withCzechCheck(digits: string): string {
  return withCheckBy11(digits, [6, 3, 7, 9, 10, 5, 8, 4, 2], 0);
}

function withNorwegianCheck(digits: string): string {
  return withCheckBy11(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 4);
}

/** Where the check digit would be 10, no account has the number: the one with another digit at `changed` is taken. */
function withCheckBy11(digits: string, weights: readonly number[], changed: number): string {
  const check = (11 - (weightedSum(digits, weights) % 11)) % 11;
  if (check < 10) return `${digits}${check}`;
  const other = (Number(digits[changed]) + 1) % 10;
  return withCheckBy11(`${digits.slice(0, changed)}${other}${digits.slice(changed + 1)}`, weights, changed);
}

/** The last digit makes the weighted sum a multiple of 10. */
function withHungarianCheck(digits: string): string {
  return `${digits}${(10 - (weightedSum(digits, [9, 7, 3, 1]) % 10)) % 10}`;
}

/** The weights are repeated. */
function weightedSum(digits: string, weights: readonly number[]): number {
  return [...digits].reduce((sum, digit, place) => sum + weights[place % weights.length]! * Number(digit), 0);
}

/** The RIB key, from 01 to 97, makes the whole a multiple of 97. */
function withFrenchKey(digits: string): string {
  return `${digits}${twoDigits(97 - modulo97(`${digits}00`))}`;
}

/** One digit for bank and branch, and one for the account. */
function withSpanishCheck(bankAndBranch: string, account: string): string {
  return `${bankAndBranch}${spanishDigit(`00${bankAndBranch}`)}${spanishDigit(account)}${account}`;
}

function spanishDigit(digits: string): number {
  const digit = 11 - (weightedSum(digits, [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11);
  // 11 is written as 0, and 10 as 1.
  return digit === 11 ? 0 : digit === 10 ? 1 : digit;
}

/** The values of digits in odd places; in even places a digit is its own value. */
const italianOddValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];

/** The check character (CIN) is a letter in front of the digits. */
function withItalianCheck(digits: string): string {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[place]);
    sum += place % 2 === 0 ? italianOddValues[digit]! : digit;
  }
  return `${String.fromCharCode(65 + (sum % 26))}${digits}`;
}
