/** A bank account as it is made: what of it lies open, and the numbers that are sealed. */

import type { IdGenerator } from '../../../lib/clock-and-ids.ts';
import type { Records } from '../resource.ts';
import { issueBankAccount } from './bank-identification.ts';
import { ibanCountries, ibanOf } from './iban-countries.ts';

export type BankAccount = NonNullable<Records['paymentInstrument']['bankAccount']>;

/** What identifies it: the store has these sealed only. */
export type AccountNumbers = Pick<BankAccount, 'iban' | 'accountNumber' | 'sortCode' | 'routingNumber'>;

export interface MadeAccount {
  readonly numbers: AccountNumbers;
  readonly bankAccount: BankAccount;
}

export const accountsAreMadeIn = (country: string): boolean =>
  country === 'US' || ibanCountries.has(ibanOf.get(country) ?? country);

/** To be asked for a country in which some are made. */
export const makeAccount = (
  country: string,
  formFactor: BankAccount['formFactor'],
  { randomDigits }: Pick<IdGenerator, 'randomDigits'>,
): MadeAccount => {
  const made = issueBankAccount(country, randomDigits);
  if (made === undefined) throw new TypeError(`no accounts are made in ${country}`);
  const { type, ...identification } = made;
  if (!('accountType' in identification)) return { numbers: identification, bankAccount: { type, formFactor } };
  const { accountType, ...numbers } = identification;
  return { numbers, bankAccount: { type, accountType, formFactor } };
};
