/** A bank account as it is made: what of it lies open, and the numbers that are sealed. */
import { Problem } from '../../contract/problem.ts';
import type { References } from '../ports.ts';
import { issueBankAccount } from './bank-identification.ts';
import type { Records } from './ports.ts';

export type BankAccount = NonNullable<Records['paymentInstrument']['bankAccount']>;

/** What identifies it: the store has these sealed only. */
export type AccountNumbers = Pick<BankAccount, 'iban' | 'accountNumber' | 'sortCode' | 'routingNumber'>;

export interface MadeAccount {
  readonly numbers: AccountNumbers;
  readonly bankAccount: BankAccount;
}

/** Throws a Problem for a country in which none are made. */
export const makeAccount = (
  country: string,
  formFactor: BankAccount['formFactor'],
  { digits }: Pick<References, 'digits'>,
): MadeAccount => {
  const made = issueBankAccount(country, digits);
  if (made === undefined) throw Problem.at(['issuingCountryCode'], 'invalidField', 'issuingCountryCode');
  const { type, ...identification } = made;
  if (!('accountType' in identification)) return { numbers: identification, bankAccount: { type, formFactor } };
  const { accountType, ...numbers } = identification;
  return { numbers, bankAccount: { type, accountType, formFactor } };
};
