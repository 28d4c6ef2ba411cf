/** Tests bank accounts: structure and check digits of every country, computed independently of the code that creates them. */
import { describe, expect, test } from '@jest/globals';
import {
  isAccountCountry,
  issueBankAccount,
} from '../../src/payments/balance-platform/payment-instruments/bank-identification.ts';
import {
  type IbanCountry,
  ibanCountries,
} from '../../src/payments/balance-platform/payment-instruments/iban-countries.ts';
import { digitsFrom, seed } from './seeded-digits.ts';

const draws = 1_000;

/** The example of each country's IBAN in the registry of ISO 13616. */
const examples: Readonly<Record<IbanCountry, string>> = {
  BE: 'BE68539007547034',
  CZ: 'CZ6508000000192000145399',
  DE: 'DE89370400440532013000',
  DK: 'DK5000400440116243',
  ES: 'ES9121000418450200051332',
  FR: 'FR1420041010050500013M02606',
  GB: 'GB29NWBK60161331926819',
  HU: 'HU42117730161111101800000000',
  IE: 'IE29AIBK93115212345678',
  IT: 'IT60X0542811101000000123456',
  NL: 'NL91ABNA0417164300',
  NO: 'NO9386011117947',
  PL: 'PL61109010140000071219812874',
  SE: 'SE4550000000058398257466',
};

/** Published elsewhere, for what one example does not show: a Belgian 97, letters in French and in Italian accounts. */
const moreExamples = [
  'BE54050000017797',
  'FR7630006000011234567890189',
  'IT12D3918913896CHTEE9UATVVO',
  'IT70Y4907675919YB4EQZ0PL4GT',
  'IT22K4348207900DNNDKPHAGTIB',
  'ES7921000813610123456789',
];

/** The basic bank account numbers as the registry writes them. */
const structures: Readonly<Record<IbanCountry, RegExp>> = {
  BE: /^\d{12}$/,
  CZ: /^\d{20}$/,
  DE: /^\d{18}$/,
  DK: /^\d{14}$/,
  ES: /^\d{20}$/,
  FR: /^\d{10}[A-Z0-9]{11}\d{2}$/,
  GB: /^[A-Z]{4}\d{14}$/,
  HU: /^\d{24}$/,
  IE: /^[A-Z]{4}\d{14}$/,
  IT: /^[A-Z]\d{10}[A-Z0-9]{12}$/,
  NL: /^[A-Z]{4}\d{10}$/,
  NO: /^\d{11}$/,
  PL: /^\d{24}$/,
  SE: /^\d{20}$/,
};

const figures = (text: string): bigint => BigInt(text.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55)));

/** ISO 7064 MOD 97-10 by one division: letters count from ten, and the whole leaves 1. */
const leavesOne = (iban: string): boolean => figures(iban.slice(4) + iban.slice(0, 4)) % 97n === 1n;

const withCheckDigits = (country: string, bban: string): string => {
  for (let check = 2; check <= 98; check++) {
    const iban = `${country}${String(check).padStart(2, '0')}${bban}`;
    if (leavesOne(iban)) return iban;
  }
  throw new Error('one of 97 always fits');
};

const digitsOf = (text: string): readonly number[] => [...text].map(Number);
const dot = (text: string, ...weights: readonly number[]): number =>
  digitsOf(text).reduce((sum, digit, place) => sum + digit * weights[place % weights.length]!, 0);

const hasRibKey = (bban: string): boolean => {
  // The letters of each column of the keypad that the key was made for.
  const columns = ['', 'AJ', 'BKS', 'CLT', 'DMU', 'ENV', 'FOW', 'GPX', 'HQY', 'IRZ'];
  const plain = bban.replace(/[A-Z]/g, (letter) => String(columns.findIndex((column) => column.includes(letter))));
  const [bank, branch, account] = [plain.slice(0, 5), plain.slice(5, 10), plain.slice(10, 21)].map(BigInt);
  return BigInt(plain.slice(21)) === 97n - ((89n * bank! + 15n * branch! + 3n * account!) % 97n);
};

const hasItalianLetter = (bban: string): boolean => {
  const odd: Readonly<Record<string, number>> = {
    ...{ 0: 1, 1: 0, 2: 5, 3: 7, 4: 9, 5: 13, 6: 15, 7: 17, 8: 19, 9: 21 },
    ...{ A: 1, B: 0, C: 5, D: 7, E: 9, F: 13, G: 15, H: 17, I: 19, J: 21, K: 2, L: 4, M: 18 },
    ...{ N: 20, O: 11, P: 3, Q: 6, R: 8, S: 12, T: 14, U: 16, V: 10, W: 22, X: 25, Y: 24, Z: 23 },
  };
  const even = (sign: string) => ('0123456789'.includes(sign) ? Number(sign) : sign.charCodeAt(0) - 65);
  const sum = [...bban.slice(1)].reduce((total, sign, place) => total + (place % 2 === 0 ? odd[sign]! : even(sign)), 0);
  return 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[sum % 26] === bban[0];
};

const hasSpanishDigits = (bban: string): boolean => {
  const digit = (text: string, weights: readonly number[]) =>
    [0, 1, 9, 8, 7, 6, 5, 4, 3, 2, 1][dot(text, ...weights) % 11];
  return (
    `${digit(bban.slice(0, 8), [4, 8, 5, 10, 9, 7, 3, 6])}${digit(bban.slice(10), [1, 2, 4, 8, 5, 10, 9, 7, 3, 6])}` ===
    bban.slice(8, 10)
  );
};

const hasBelgianDigits = (bban: string): boolean =>
  Number(BigInt(bban.slice(0, 10)) % 97n || 97n) === Number(bban.slice(10));

const hasCzechDigits = (bban: string): boolean =>
  dot(bban.slice(4, 10), 10, 5, 8, 4, 2, 1) % 11 === 0 && dot(bban.slice(10), 6, 3, 7, 9, 10, 5, 8, 4, 2, 1) % 11 === 0;

const hasHungarianDigits = (bban: string): boolean =>
  dot(bban.slice(0, 8), 9, 7, 3, 1) % 10 === 0 && dot(bban.slice(8), 9, 7, 3, 1) % 10 === 0;

const hasNorwegianDigit = (bban: string): boolean => dot(bban, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1) % 11 === 0;

/** That of the bank, the eighth digit. */
const hasPolishDigit = (bban: string): boolean => dot(bban.slice(0, 8), 3, 9, 7, 1, 3, 9, 7, 1) % 10 === 0;

/** The others have none, or each bank has one of its own (DE, DK, GB, SE), or gave it up (NL: the test by 11). */
const nationalChecks: Readonly<Partial<Record<IbanCountry, (bban: string) => boolean>>> = {
  BE: hasBelgianDigits,
  CZ: hasCzechDigits,
  ES: hasSpanishDigits,
  FR: hasRibKey,
  HU: hasHungarianDigits,
  IT: hasItalianLetter,
  NO: hasNorwegianDigit,
  PL: hasPolishDigit,
};

const countryOf = (iban: string): IbanCountry => iban.slice(0, 2) as IbanCountry;

/** The independent check of this file, verified with published numbers before it checks created ones. */
const isIban = (text: string): boolean => {
  const country = countryOf(text);
  const bban = text.slice(4);
  const check = text.slice(2, 4);
  return (
    structures[country]?.test(bban) === true &&
    /^(?:0[2-9]|[1-8]\d|9[0-8])$/.test(check) &&
    leavesOne(text) &&
    (nationalChecks[country]?.(bban) ?? true)
  );
};

describe('the checks of this file, on published examples', () => {
  test('every country has one', () => {
    expect(Object.keys(examples)).toEqual([...ibanCountries]);
  });
  test.each([...Object.values(examples), ...moreExamples])(
    '%s is an IBAN, and none with another digit in any place',
    (example) => {
      expect(isIban(example)).toBe(true);
      const others = [...example].flatMap((sign, place) =>
        [...'0123456789']
          .filter((digit) => digit !== sign)
          .map((digit) => example.slice(0, place) + digit + example.slice(place + 1)),
      );
      expect(others.filter(isIban)).toEqual([]);
    },
  );
  /** Every national check refuses what the check digits of the IBAN let pass. */
  test.each(Object.keys(nationalChecks) as IbanCountry[])('%s: wrong inside, and right by ISO 7064', (country) => {
    const account = examples[country].slice(4);
    // The check digit of Poland is that of the bank.
    const place = country === 'PL' ? 2 : account.length - 4;
    const wrong = `${account.slice(0, place)}${(Number(account[place]) + 1) % 10}${account.slice(place + 1)}`;
    const iban = withCheckDigits(country, wrong);
    expect(leavesOne(iban)).toBe(true);
    expect(isIban(iban)).toBe(false);
  });
});

/** Whether the number shows that no such bank exists. */
const isVisiblyInvented = (iban: string): boolean => {
  switch (countryOf(iban)) {
    case 'BE':
      return /^BE\d\d985/.test(iban);
    case 'IT':
      return /^IT\d\d[A-Z]0{10}/.test(iban);
    case 'DE':
    case 'ES':
    case 'HU':
    case 'PL':
      return /^..\d\d0{8}/.test(iban);
    case 'CZ':
    case 'DK':
    case 'NO':
      return /^..\d\d0{4}/.test(iban);
    case 'SE':
      return /^SE\d\d0{3}/.test(iban);
    case 'FR':
      return /^FR\d\d0{10}/.test(iban);
    case 'GB':
    case 'IE':
    case 'NL':
      return /^..\d\dTEST/.test(iban);
    default:
      return false;
  }
};

describe(`accounts, ${draws} of each country (SEED=${seed})`, () => {
  const ibansOnly = ibanCountries.filter((country) => country !== 'GB');

  test.each(ibansOnly)('%s', (country) => {
    const digits = digitsFrom(seed);
    const accounts = Array.from({ length: draws }, () => issueBankAccount(country, digits));
    const ibans = accounts.map((account) => (account.type === 'iban' ? account.iban : JSON.stringify(account)));
    const isGood = (iban: string) =>
      iban.startsWith(country) && iban.length === examples[country].length && isVisiblyInvented(iban) && isIban(iban);
    expect(ibans.filter((iban) => !isGood(iban))).toEqual([]);
    expect(new Set(ibans).size).toBeGreaterThan(0.99 * draws);
  });
  test('GB: sort code and account number, as in the IBAN', () => {
    const digits = digitsFrom(seed);
    const seen = new Set<string>();
    for (let draw = 0; draw < draws; draw++) {
      const account = issueBankAccount('GB', digits);
      if (account.type !== 'ukLocal') throw new Error('an account here is a local one');
      const { accountNumber, sortCode, iban } = account;
      expect(accountNumber).toMatch(/^\d{8}$/);
      expect(sortCode).toMatch(/^0000\d\d$/);
      expect(iban).toBe(withCheckDigits('GB', `TEST${sortCode}${accountNumber}`));
      expect(isIban(iban)).toBe(true);
      seen.add(iban);
    }
    expect(seen.size).toBeGreaterThan(0.99 * draws);
  });
  test('US: a routing number with a valid check digit, and an account number', () => {
    const digits = digitsFrom(seed);
    const seen = new Set<string>();
    for (let draw = 0; draw < draws; draw++) {
      const account = issueBankAccount('US', digits);
      if (account.type !== 'usLocal') throw new Error('an account here is a local one');
      const { accountNumber, routingNumber, accountType } = account;
      expect(accountType).toBe('checking');
      expect(accountNumber).toMatch(/^\d{9}$/);
      expect(routingNumber).toMatch(/^1100\d{5}$/);
      expect(dot(routingNumber, 3, 7, 1) % 10).toBe(0);
      seen.add(routingNumber + accountNumber);
    }
    expect(seen.size).toBe(draws);
  });
  test('the checksum for routing numbers accepts published ones', () => {
    for (const published of ['110000000', '011000015', '121000248', '021000021'])
      expect(dot(published, 3, 7, 1) % 10).toBe(0);
    expect(dot('110000001', 3, 7, 1) % 10).not.toBe(0);
  });
  /** Each branch of national checks, which one random example may miss. */
  test.each([
    ['ES', '0000000000', 'ES?? 0000 0000 00 0000000000'],
    ['ES', '0000000006', 'ES?? 0000 0000 08 0000000006'],
    ['ES', '0000000002', 'ES?? 0000 0000 01 0000000002'],
    ['BE', '0000000', 'BE?? 9850 0000 0073'],
    ['BE', '0000024', 'BE?? 9850 0000 2497'],
    ['CZ', '000000006', 'CZ?? 0000 0000 0010 0000 0064'],
    ['CZ', '900000000', 'CZ?? 0000 0000 0090 0000 0001'],
    ['NO', '000006', 'NO?? 0000 1000 063'],
  ] as const)('%s: the check digits of %s', (country, drawn, expected) => {
    const account = issueBankAccount(country, () => drawn);
    const bban = expected.slice(4).replaceAll(' ', '');
    expect(account).toEqual({ type: 'iban', iban: withCheckDigits(country, bban) });
  });
});

describe('countries', () => {
  test('accounts are issued in IBAN countries and in the United States', () => {
    expect([...ibanCountries, 'US'].filter((country) => !isAccountCountry(country))).toEqual([]);
  });
  test.each(['AT', 'AU', 'CA', 'CH', 'GG', 'JP', 'XX', '', 'nl', 'constructor', '__proto__', 'toString'])(
    'none is issued in %j',
    (country) => {
      expect(isAccountCountry(country)).toBe(false);
    },
  );
});
