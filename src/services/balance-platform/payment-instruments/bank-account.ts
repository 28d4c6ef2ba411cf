/** A bank account as it is created: the part that is stored in the clear, and the numbers that are sealed. */

import type { IdGenerator } from '../../../lib/clock-and-ids.ts';
import { type AccountCountry, issueBankAccount } from './bank-identification.ts';
import type { PaymentInstrument } from './contract.ts';

export type BankAccount = NonNullable<PaymentInstrument['bankAccount']>;

/** The store has these sealed only. */
export type AccountNumbers = Pick<BankAccount, 'iban' | 'accountNumber' | 'sortCode' | 'routingNumber'>;

export interface CreatedAccount {
  readonly numbers: AccountNumbers;
  readonly bankAccount: BankAccount;
}

export function createAccount(
  country: AccountCountry,
  formFactor: BankAccount['formFactor'],
  { randomDigits }: Pick<IdGenerator, 'randomDigits'>,
): CreatedAccount {
  const { type, ...identification } = issueBankAccount(country, randomDigits);
  if (!('accountType' in identification)) return { numbers: identification, bankAccount: { type, formFactor } };
  const { accountType, ...numbers } = identification;
  return { numbers, bankAccount: { type, accountType, formFactor } };
}
