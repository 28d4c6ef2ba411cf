/** Creates what identifies a bank account in its country, from random digits. */
import type { IdGenerator } from '../../../core/lib/index.ts';
import type { PaymentInstrument } from './contract.ts';
import { createIban, type IbanCountry, ibanCountries } from './iban-countries.ts';

/** A bank account as responses show it. */
type BankIdentification =
  | { readonly type: 'iban'; readonly iban: string }
  /** 8 digits, 6 digits, and the IBAN that contains them. */
  | { readonly type: 'ukLocal'; readonly accountNumber: string; readonly sortCode: string; readonly iban: string }
  | {
      readonly type: 'usLocal';
      readonly accountNumber: string;
      /** 9 digits; the last one is a check digit (ABA). */
      readonly routingNumber: string;
      readonly accountType: 'checking';
    };

type AccountCountry = IbanCountry | 'US';

/** Whether bank accounts can be issued in the country (ISO 3166-1 alpha-2). */
export function isAccountCountry(country: string): country is AccountCountry {
  return country === 'US' || ibanCountries.some((each) => each === country);
}

/** Creates a bank account. Its number may exist already: the caller checks that, and asks for another one. */
export function issueBankAccount(country: AccountCountry, digits: IdGenerator['randomDigits']): BankIdentification {
  switch (country) {
    case 'US':
      return usLocal(digits);
    case 'GB':
      return ukLocal(createIban(country, digits));
    default:
      return { type: 'iban', iban: createIban(country, digits) };
  }
}

function ukLocal(iban: string): BankIdentification {
  return { type: 'ukLocal', accountNumber: iban.slice(14), sortCode: iban.slice(8, 14), iban };
}

/** Routing numbers start as the published test number 110000000 does. */
function usLocal(digits: IdGenerator['randomDigits']): BankIdentification {
  const routing = `1100${digits(4)}`;
  return {
    type: 'usLocal',
    accountNumber: digits(9),
    routingNumber: routing + routingCheckDigit(routing),
    accountType: 'checking',
  };
}

/** The weights 3, 7 and 1 over nine digits give a multiple of ten. */
function routingCheckDigit(digits: string): string {
  const sum = [...digits].reduce((total, digit, place) => total + Number(digit) * ([3, 7, 1][place % 3] ?? 0), 0);
  return String((10 - (sum % 10)) % 10);
}

type BankAccount = NonNullable<PaymentInstrument['bankAccount']>;

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
