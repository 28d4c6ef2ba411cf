/** Which payment method a card number or a bank account is of, by the published ranges. */

import type { Infer } from '../../contract/schema.ts';
import type { bankAccount } from './schemas.ts';

interface Range {
  readonly variant: string;
  /** First and last prefix, of the same length. */
  readonly from: string;
  readonly to: string;
}

const range = (variant: string, from: string, to = from): Range => ({ variant, from, to });

/** Narrow ranges stand before the wide ones that hold them. */
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

/** `visa`, `mc`, ...; undefined where no range tells. */
export const cardVariant = (number: string): string | undefined =>
  ranges.find(({ from, to }) => {
    const prefix = number.slice(0, from.length);
    return prefix >= from && prefix <= to;
  })?.variant;

export const cvcLength = (variant: string): number => (variant === 'amex' ? 4 : 3);

/** `sepadirectdebit` for an IBAN, else the direct debit of the account's country. */
export const bankVariant = ({ iban, countryCode }: Infer<typeof bankAccount>): string | undefined => {
  if (iban !== undefined) return 'sepadirectdebit';
  if (countryCode === undefined) return undefined;
  return countryCode === 'US' ? 'ach' : `directdebit_${countryCode}`;
};
