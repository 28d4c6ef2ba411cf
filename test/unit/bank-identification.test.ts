/** Bank accounts: structure and check digits of every country, counted here another way than they are made. */
import { describe, expect, test } from '@jest/globals';
import {
  isIban,
  issueBankAccount,
} from '../../src/services/balance-platform/payment-instruments/bank-identification.ts';
import { ibanCountries, ibanOf } from '../../src/services/balance-platform/payment-instruments/iban-countries.ts';
import { nationalChecks } from '../../src/services/balance-platform/payment-instruments/national-checks.ts';
import { digitsFrom, seed } from './seeded-digits.ts';

const draws = 1_000;

/** The example of each country's IBAN in the registry of ISO 13616. */
const examples: readonly string[] = `
  AD1200012030200359100100 AL47212110090000000235698741 AT611904300234573201 BE68539007547034 BG80BNBG96611020345678
  CH9300762011623852957 CY17002001280000001200527600 CZ6508000000192000145399 DE89370400440532013000
  DK5000400440116243 EE382200221020145685 ES9121000418450200051332 FI2112345600000785 FR1420041010050500013M02606
  GB29NWBK60161331926819 GI75NWBK000000007099453 GR1601101250000000012300695 HR1210010051863000160
  HU42117730161111101800000000 IE29AIBK93115212345678 IS140159260076545510730339 IT60X0542811101000000123456
  LI21088100002324013AA LT121000011101001000 LU280019400644750000 LV80BANK0000435195001
  MC5811222000010123456789030 MD24AG000225100013104168 ME25505000012345678951 MK07250120000058984
  MT84MALT011000012345MTLCAST001S NL91ABNA0417164300 NO9386011117947 PL61109010140000071219812874
  PT50000201231234567890154 RO49AAAA1B31007593840000 RS35260005601001611379 SE4550000000058398257466
  SI56191000000123438 SK3112000000198742637541 SM86U0322509800000000270100 VA59001123000012345678`
  .trim()
  .split(/\s+/);

/** Published elsewhere, for the checks that one example does not show: a Belgian 97, letters in a French and in Italian accounts. */
const moreExamples = [
  'BE54050000017797',
  'CZ9455000000001011038930',
  'EE471000001020145685',
  'FI1410093000123458',
  'FR7630006000011234567890189',
  'HR1723600001101234565',
  'IT12D3918913896CHTEE9UATVVO',
  'IT70Y4907675919YB4EQZ0PL4GT',
  'IT22K4348207900DNNDKPHAGTIB',
  'NO8330001234567',
  'ES7921000813610123456789',
  'PT50002700000001234567833',
  'SI56192001234567892',
];

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
const endsWhole = (bban: string): boolean =>
  figures(bban) % 97n === 1n && Number(bban.slice(-2)) >= 2 && Number(bban.slice(-2)) <= 98;

const ribKey = (bban: string): boolean => {
  // The letters of each column of the keypad that the key was made for.
  const columns = ['', 'AJ', 'BKS', 'CLT', 'DMU', 'ENV', 'FOW', 'GPX', 'HQY', 'IRZ'];
  const plain = bban.replace(/[A-Z]/g, (letter) => String(columns.findIndex((column) => column.includes(letter))));
  const [bank, branch, account] = [plain.slice(0, 5), plain.slice(5, 10), plain.slice(10, 21)].map(BigInt);
  return BigInt(plain.slice(21)) === 97n - ((89n * bank! + 15n * branch! + 3n * account!) % 97n);
};

const italianLetter = (bban: string): boolean => {
  const odd: Readonly<Record<string, number>> = {
    ...{ 0: 1, 1: 0, 2: 5, 3: 7, 4: 9, 5: 13, 6: 15, 7: 17, 8: 19, 9: 21 },
    ...{ A: 1, B: 0, C: 5, D: 7, E: 9, F: 13, G: 15, H: 17, I: 19, J: 21, K: 2, L: 4, M: 18 },
    ...{ N: 20, O: 11, P: 3, Q: 6, R: 8, S: 12, T: 14, U: 16, V: 10, W: 22, X: 25, Y: 24, Z: 23 },
  };
  const even = (sign: string) => ('0123456789'.includes(sign) ? Number(sign) : sign.charCodeAt(0) - 65);
  const sum = [...bban.slice(1)].reduce((total, sign, place) => total + (place % 2 === 0 ? odd[sign]! : even(sign)), 0);
  return 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[sum % 26] === bban[0];
};

const spanishDigits = (bban: string): boolean => {
  const digit = (text: string, weights: readonly number[]) =>
    [0, 1, 9, 8, 7, 6, 5, 4, 3, 2, 1][dot(text, ...weights) % 11];
  return (
    `${digit(bban.slice(0, 8), [4, 8, 5, 10, 9, 7, 3, 6])}${digit(bban.slice(10), [1, 2, 4, 8, 5, 10, 9, 7, 3, 6])}` ===
    bban.slice(8, 10)
  );
};

/** ISO 7064 MOD 11,10, by its definition: the product is carried from digit to digit. */
const pureHybrid = (text: string): boolean => {
  const carried = digitsOf(text.slice(0, -1)).reduce((product, digit) => {
    const sum = (product + digit) % 10;
    return ((sum === 0 ? 10 : sum) * 2) % 11;
  }, 10);
  return (11 - carried) % 10 === Number(text.at(-1));
};

const isLuhn = (text: string): boolean =>
  [...text].reverse().reduce((sum, digit, place) => sum + Number(place % 2 ? '0246813579'[Number(digit)] : digit), 0) %
    10 ===
  0;

const reversed = (text: string): string => [...text].reverse().join('');

/** The national checks, each by another sum than the one that numbers are made with. */
const counted: Readonly<Record<string, (bban: string) => boolean>> = {
  AL: (bban) => (10 - (dot(bban.slice(0, 7), 9, 7, 3, 1) % 10)) % 10 === Number(bban[7]),
  BE: (bban) => Number(BigInt(bban.slice(0, 10)) % 97n || 97n) === Number(bban.slice(10)),
  CZ: (bban) =>
    dot(reversed(bban.slice(4, 10)), 1, 2, 4, 8, 5, 10) % 11 === 0 &&
    dot(reversed(bban.slice(10)), 1, 2, 4, 8, 5, 10, 9, 7, 3, 6) % 11 === 0,
  EE: (bban) => (10 - (dot(reversed(bban.slice(2, 15)), 7, 3, 1) % 10)) % 10 === Number(bban[15]),
  ES: spanishDigits,
  FI: isLuhn,
  FR: ribKey,
  HR: (bban) => pureHybrid(bban.slice(0, 7)) && pureHybrid(bban.slice(7)),
  HU: (bban) =>
    [bban.slice(0, 8), bban.slice(8)].every(
      (part) => (10 - (dot(part.slice(0, -1), 9, 7, 3, 1) % 10)) % 10 === Number(part.at(-1)),
    ),
  IS: (bban) => (11 - (dot(bban.slice(12, 20), 3, 2, 7, 6, 5, 4, 3, 2) % 11)) % 11 === Number(bban[20]),
  IT: italianLetter,
  MC: ribKey,
  ME: endsWhole,
  MK: endsWhole,
  NO: (bban) => (11 - (dot(reversed(bban.slice(0, 10)), 2, 3, 4, 5, 6, 7) % 11)) % 11 === Number(bban[10]),
  PL: (bban) => (10 - (dot(bban.slice(0, 7), 3, 9, 7, 1) % 10)) % 10 === Number(bban[7]),
  PT: endsWhole,
  RS: endsWhole,
  SI: endsWhole,
  SM: italianLetter,
};
const countedFor = (country: string) => counted[country === 'SK' ? 'CZ' : country];

const lengths = new Map(examples.map((example) => [example.slice(0, 2), example.length]));

describe('published examples', () => {
  test('one for every country', () => {
    expect([...lengths.keys()]).toEqual([...ibanCountries.keys()].sort());
  });
  test.each([...examples, ...moreExamples])(
    '%s is an IBAN here, and none with another digit in any place',
    (example) => {
      expect(isIban(example)).toBe(true);
      expect(countedFor(example.slice(0, 2))?.(example.slice(4)) ?? true).toBe(true);
      const others = [...example].flatMap((sign, place) =>
        [...'0123456789']
          .filter((digit) => digit !== sign)
          .map((digit) => example.slice(0, place) + digit + example.slice(place + 1)),
      );
      expect(others.filter(isIban)).toEqual([]);
    },
  );
  test.each([...examples, ...moreExamples])(
    '%s is an IBAN here, and none with another digit in any place',
    (example) => {
      expect(isIban(example)).toBe(true);
      expect(countedFor(example.slice(0, 2))?.(example.slice(4)) ?? true).toBe(true);
      for (let place = 0; place < example.length; place++)
        for (const digit of '0123456789')
          if (digit !== example[place])
            expect(isIban(example.slice(0, place) + digit + example.slice(place + 1))).toBe(false);
    },
  );
  test('a country with national checks here is one with a count of its own', () => {
    expect([...nationalChecks.keys()].filter((country) => countedFor(country) === undefined)).toEqual([]);
    expect(Object.keys(counted).filter((country) => !nationalChecks.has(country))).toEqual([]);
  });

  /** Letters and digits in every place that the structure leaves open, most of which are not in the numbers made here. */
  test.each([...nationalChecks])(
    `%s: both counts agree on 3,000 numbers of any kind (SEED=${seed})`,
    (country, check) => {
      const digits = digitsFrom(seed);
      const signs = { n: '0123456789', a: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', c: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ' };
      const pick = (kind: keyof typeof signs) => signs[kind].charAt(Number(digits(4)) % signs[kind].length);
      const any = () =>
        ibanCountries
          .get(country)!
          .structure.replace(/(\d+)!([nac])/g, (_, count: string, kind: keyof typeof signs) =>
            Array.from({ length: Number(count) }, () => pick(kind)).join(''),
          );
      const numbers = Array.from({ length: 3_000 }, any);
      expect(numbers.filter((bban) => check(bban) !== countedFor(country)!(bban))).toEqual([]);
      expect(numbers.filter(check).length).toBeGreaterThan(5);
    },
  );

  /** The control of the national checks: every one of them refuses what the check digits of the IBAN let pass. */
  test.each([...nationalChecks.keys()])('%s: wrong inside, and right by ISO 7064', (country) => {
    const example = examples.find((each) => each.startsWith(country))!;
    const account = example.slice(4);
    const place =
      account.length - (country === 'IS' ? 3 : country === 'AL' || country === 'PL' ? account.length - 3 : 4);
    const wrong = `${account.slice(0, place)}${(Number(account[place]) + 1) % 10}${account.slice(place + 1)}`;
    const iban = withCheckDigits(country, wrong);
    expect(leavesOne(iban)).toBe(true);
    expect(countedFor(country)?.(wrong)).toBe(false);
    expect(isIban(iban)).toBe(false);
  });
  test.each([
    '',
    'NL',
    'XX89370400440532013000',
    'nl91abna0417164300',
    'NL91 ABNA 0417 1643 00',
    'NL91ABNA04171643000',
  ])('%j is none', (text) => {
    expect(isIban(text)).toBe(false);
  });
  test('check digits are from 02 to 98, though 00 and 01 leave the same remainder as 97 and 98', () => {
    const bban = Array.from({ length: 1_000 }, (_, n) => `TEST${String(n).padStart(10, '0')}`).find(
      (each) => withCheckDigits('NL', each).slice(2, 4) === '98',
    )!;
    expect(isIban(`NL98${bban}`)).toBe(true);
    expect(leavesOne(`NL01${bban}`)).toBe(true);
    expect(isIban(`NL01${bban}`)).toBe(false);
  });
});

/** Where the numbers say that no bank is behind them. */
const visible = (country: string): RegExp => {
  if (country === 'BE') return /^BE\d\d985/;
  if (country === 'IT' || country === 'SM') return /^..\d\d[A-Z]0{10}/;
  return /^..\d\d(?:TEST|0{2})/;
};

describe(`accounts, 1,000 of each country (SEED=${seed})`, () => {
  const countries = [...ibanCountries.keys()].filter((country) => country !== 'GB');
  test.each(countries)('%s', (country) => {
    const digits = digitsFrom(seed);
    const made = Array.from({ length: draws }, () => issueBankAccount(country, digits));
    const ibans = made.map((account) => (account?.type === 'iban' ? account.iban : `none: ${JSON.stringify(account)}`));
    const good = (iban: string) =>
      iban.startsWith(country) &&
      iban.length === lengths.get(country) &&
      visible(country).test(iban) &&
      leavesOne(iban) &&
      isIban(iban) &&
      (countedFor(country)?.(iban.slice(4)) ?? true);
    expect(ibans.filter((iban) => !good(iban))).toEqual([]);
    expect(new Set(ibans).size).toBeGreaterThan(0.99 * draws);
  });
  test.each(['GB', 'GG', 'IM', 'JE'])('%s: sort code and account number, as in the IBAN', (country) => {
    const digits = digitsFrom(seed);
    for (let draw = 0; draw < draws; draw++) {
      const account = issueBankAccount(country, digits);
      if (account?.type !== 'ukLocal') throw new Error('an account here is a local one');
      const { accountNumber, sortCode, iban } = account;
      expect(accountNumber).toMatch(/^\d{8}$/);
      expect(sortCode).toMatch(/^0000\d\d$/);
      expect(iban).toBe(withCheckDigits('GB', `TEST${sortCode}${accountNumber}`));
      expect(isIban(iban)).toBe(true);
    }
  });
  test('US: a routing number that checks out, and an account number', () => {
    const digits = digitsFrom(seed);
    const seen = new Set<string>();
    for (let draw = 0; draw < draws; draw++) {
      const account = issueBankAccount('US', digits);
      if (account?.type !== 'usLocal') throw new Error('an account here is a local one');
      const { accountNumber, routingNumber, accountType } = account;
      expect(accountType).toBe('checking');
      expect(accountNumber).toMatch(/^\d{9}$/);
      expect(routingNumber).toMatch(/^1100\d{5}$/);
      const [a, b, c, d, e, f, g, h, i] = digitsOf(routingNumber) as [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      expect((3 * (a + d + g) + 7 * (b + e + h) + (c + f + i)) % 10).toBe(0);
      seen.add(routingNumber + accountNumber);
    }
    expect(seen.size).toBe(draws);
  });
  test.each([...ibanOf])('%s has accounts as %s has', (territory, country) => {
    expect(issueBankAccount(territory, digitsFrom(seed))).toEqual(issueBankAccount(country, digitsFrom(seed)));
  });
  test('the sum for routing numbers is that of published ones', () => {
    for (const published of ['110000000', '011000015', '121000248', '021000021'])
      expect(dot(published, 3, 7, 1) % 10).toBe(0);
    expect(dot('110000001', 3, 7, 1) % 10).not.toBe(0);
  });
});

describe('chance', () => {
  test.each(['AU', 'JP', 'XX', '', 'nl', 'constructor', '__proto__'])('no account is made for %j', (country) => {
    expect(issueBankAccount(country, digitsFrom(seed))).toBeUndefined();
  });
  /** Two digits after which 1 00000 leaves a remainder that no check digit makes good: 10 modulo 11. */
  const stuck = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0')).find(
    (group) => (11 - (dot(reversed(`00${group}100000`), 2, 3, 4, 5, 6, 7) % 11)) % 11 === 10,
  )!;

  test('draws again where no check digit fits', () => {
    const runs = [stuck, '00000', '00', '00000'];
    const account = issueBankAccount('NO', () => runs.shift() ?? '');
    expect(account).toEqual({ type: 'iban', iban: withCheckDigits('NO', '00001000004') });
    expect(counted.NO?.('00001000004')).toBe(true);
    expect(runs).toEqual([]);
  });
  test('gives up where all draws are alike and none fits', () => {
    expect(() => issueBankAccount('NO', (count) => (count === 2 ? stuck : '00000'))).toThrow(RangeError);
  });
});
