/** Finds the payment method of a card number, by the published ranges, and of a bank account. */

import type { Infer } from '../../core/contract/index.ts';
import type { bankAccount } from './schemas.ts';

interface Range {
  readonly variant: string;
  /** First and last prefix, of the same length. */
  readonly from: string;
  readonly to: string;
}

/** A narrow range precedes the wide one that contains it. */
const ranges: readonly Range[] = Object.freeze([
  range('amex', '34'),
  range('amex', '37'),
  range('diners', '300', '305'),
  range('diners', '36'),
  range('diners', '38', '39'),
  range('jcb', '3528', '3589'),
  range('visa', '4'),
  range('mc', '51', '55'),
  range('mc', '2221', '2720'),
  range('discover', '6011'),
  range('discover', '644', '649'),
  range('discover', '65'),
  range('cup', '62'),
  range('maestro', '50'),
  range('maestro', '56', '59'),
  range('maestro', '60', '69'),
]);

/** `visa`, `mc`, ...; undefined where the number is in no range. */
export function cardVariant(number: string): string | undefined {
  const isWithin = ({ from, to }: Range): boolean => {
    const prefix = number.slice(0, from.length);
    return prefix >= from && prefix <= to;
  };
  return ranges.find(isWithin)?.variant;
}

/** Lengths of the security codes of all brands. */
export const cvcLengths: readonly number[] = [3, 4];

export function cvcLength(variant: string): number {
  return variant === 'amex' ? 4 : 3;
}

/** `sepadirectdebit` for an IBAN, otherwise the direct debit of the account's country. */
export function bankVariant({ iban, countryCode }: Infer<typeof bankAccount>): string | undefined {
  if (iban !== undefined) return 'sepadirectdebit';
  if (countryCode === undefined) return undefined;
  return countryCode === 'US' ? 'ach' : `directdebit_${countryCode}`;
}

function range(variant: string, from: string, to = from): Range {
  return { variant, from, to };
}
