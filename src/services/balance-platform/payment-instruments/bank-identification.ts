/** What identifies a bank account in the country that it is issued in: made from chance that is given in, and checked. */
import { iban as checksOut } from '../../../contract/lexical.ts';
import type { Digits } from './digits.ts';
import { ibanCountries, ibanOf } from './iban-countries.ts';
import { modulo97, nationalChecks } from './national-checks.ts';

/** Bank accounts as answers show them. */
export type BankIdentification =
  | { readonly type: 'iban'; readonly iban: string }
  /** 8 digits, 6 digits, and the IBAN that they are in. */
  | { readonly type: 'ukLocal'; readonly accountNumber: string; readonly sortCode: string; readonly iban: string }
  | {
      readonly type: 'usLocal';
      readonly accountNumber: string;
      /** 9 digits; the last one checks the others (ABA). */
      readonly routingNumber: string;
      readonly accountType: 'checking';
    };

const drawsMax = 100;

const signs = { n: '[0-9]', a: '[A-Z]', c: '[A-Z0-9]' } as const;

const patternOf = (structure: string): RegExp =>
  new RegExp(
    `^${structure.replace(/(\d+)!([nac])/g, (_, count: string, kind: keyof typeof signs) => `${signs[kind]}{${count}}`)}$`,
  );

const patterns: ReadonlyMap<string, RegExp> = new Map(
  [...ibanCountries].map(([country, { structure }]) => [country, patternOf(structure)]),
);

const hasNationalCheck = (country: string, bban: string): boolean => nationalChecks.get(country)?.(bban) ?? true;

const checkDigits = (country: string, bban: string): string =>
  String(98 - modulo97(`${bban}${country}00`)).padStart(2, '0');

/** An IBAN of a country in the table, with the country's structure, its national check digits and those of ISO 7064 MOD 97-10. */
export const isIban = (text: string): boolean => {
  const country = text.slice(0, 2);
  const bban = text.slice(4);
  return (
    (patterns.get(country)?.test(bban) ?? false) &&
    checksOut(text) &&
    text.slice(2, 4) === checkDigits(country, bban) &&
    hasNationalCheck(country, bban)
  );
};

/** Every way to fill the places that the national check gives: digits, or a letter in front (IT, SM). */
function* filled(bban: string): Generator<string> {
  const place = bban.indexOf('?');
  if (place < 0) yield bban;
  else
    for (const sign of place === 0 ? 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' : '0123456789')
      yield* filled(`${bban.slice(0, place)}${sign}${bban.slice(place + 1)}`);
}

/** Undefined where no check digit fits: a remainder of 10 has none (CZ, IS, NO, SK). */
const draw = (country: string, made: string, digits: Digits): string | undefined => {
  const drawn = made.replace(/#+/g, (run) => digits(run.length));
  for (const bban of filled(drawn)) if (hasNationalCheck(country, bban)) return bban;
  return undefined;
};

const makeIban = (country: string, made: string, digits: Digits): string => {
  for (let draws = 0; draws < drawsMax; draws++) {
    const bban = draw(country, made, digits);
    if (bban !== undefined) return `${country}${checkDigits(country, bban)}${bban}`;
  }
  throw new RangeError(`${drawsMax} draws gave no account number: chance is not chance`);
};

const ukLocal = (iban: string): BankIdentification => ({
  type: 'ukLocal',
  accountNumber: iban.slice(14),
  sortCode: iban.slice(8, 14),
  iban,
});

/** The weights 3, 7 and 1 over nine digits give a multiple of ten. */
const routingCheckDigit = (digits: string): string => {
  const sum = [...digits].reduce((total, digit, place) => total + Number(digit) * ([3, 7, 1][place % 3] ?? 0), 0);
  return String((10 - (sum % 10)) % 10);
};

/** Routing numbers start as the published test number 110000000 does. */
const usLocal = (digits: Digits): BankIdentification => {
  const routing = `1100${digits(4)}`;
  return {
    type: 'usLocal',
    accountNumber: digits(9),
    routingNumber: routing + routingCheckDigit(routing),
    accountType: 'checking',
  };
};

/**
 * A bank account in the country (ISO 3166-1 alpha-2); undefined where none is issued here. Whether it was issued before is
 * for the caller to find out, who then asks for another one.
 */
export const issueBankAccount = (issuingCountryCode: string, digits: Digits): BankIdentification | undefined => {
  if (issuingCountryCode === 'US') return usLocal(digits);
  const country = ibanOf.get(issuingCountryCode) ?? issuingCountryCode;
  const row = ibanCountries.get(country);
  if (row === undefined) return undefined;
  const iban = makeIban(country, row.made, digits);
  return country === 'GB' ? ukLocal(iban) : { type: 'iban', iban };
};
