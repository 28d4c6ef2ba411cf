/** Tests issued cards: numbers are in the range of brand and variant and pass an independent Luhn check. */
import { describe, expect, test } from '@jest/globals';
import { maskAllButLast4 } from '../../src/core/contract/redaction.ts';
import {
  brandVariantsOf,
  cardRanges,
  expirationFrom,
  type IssuedCard,
  issueCard,
} from '../../src/payments/balance-platform/payment-instruments/card-numbers.ts';
import { testCards } from '../../src/payments/recurring/account-updater/test-cards.ts';
import { cardVariant } from '../../src/payments/recurring/brand.ts';
import { digitsFrom, seed } from './seeded-digits.ts';

const doubled = '0246813579';

/** Luhn with a table: doubles every second digit from the right; the sum is a multiple of ten. */
const passesLuhn = (number: string): boolean => {
  const backwards = [...number].reverse();
  const sum = backwards.reduce((total, digit, place) => total + Number(place % 2 ? doubled[Number(digit)] : digit), 0);
  return sum % 10 === 0;
};

const now = Date.UTC(2026, 7, 31, 23, 59);

const issued = (brand: string, brandVariant: string, digits: (count: number) => string): IssuedCard => {
  const issue = issueCard({ brand, brandVariant }, now, digits);
  if (issue.kind !== 'issued') throw new Error(`${issue.field} is not known`);
  return issue.card;
};

/** Published test numbers, one for each variant; where the lists name what it is, the variant is that. */
const published: Readonly<Record<string, string>> = {
  visa: '4012888888881881',
  visacorporate: '4001590000000001',
  visacredit: '4242424242424242',
  visadebit: '4000056655665556',
  visaprepaid: '4500600000000061',
  mc: '5555555555554444',
  mccredit: '2223000048410010',
  mccommercialcredit_b2b: '5101180000000007',
  mccorporate: '2222410740360010',
  mcdebit: '5200828282828210',
  mcbusinessdebit: '5500000000000004',
  mcbusinessworlddebit: '2223520443560010',
  mcprepaid: '5105105105105100',
  mcmaestro: '6771798021000008',
};

describe.each(cardRanges)(`$brandVariant (SEED=${seed})`, ({ brand, brandVariant, bin }) => {
  test('1,000 numbers are in the range, Luhn valid, distinct, and no test card', () => {
    const digits = digitsFrom(seed);
    const cards = Array.from({ length: 1_000 }, () => issued(brand, brandVariant, digits));
    const good = ({ number, lastFour, cvc, ...card }: IssuedCard) =>
      /^\d{16}$/.test(number) &&
      number.startsWith(bin) &&
      passesLuhn(number) &&
      lastFour === number.slice(12) &&
      /^\d{3}$/.test(cvc) &&
      card.bin === bin &&
      cardVariant(number) === (brandVariant === 'mcmaestro' ? 'maestro' : brand);
    expect(cards.filter((card) => !good(card))).toEqual([]);
    expect(cards[0]?.expiration).toEqual({ month: '08', year: '2030' });
    expect(new Set(cards.map(({ number }) => number)).size).toBe(1_000);
    expect(cards.filter(({ number }) => testCards.some((each) => each.number === number))).toEqual([]);
  });
  test('its range contains a published test number', () => {
    expect(published[brandVariant]?.startsWith(bin)).toBe(true);
    expect(passesLuhn(published[brandVariant] ?? '1')).toBe(true);
  });
});

describe('ranges', () => {
  test('contain no test card and no stored card of the demo', () => {
    const taken = [...testCards.map((each) => each.number), '4111110000000000', '5555440000000000', '4444333322221111'];
    expect(cardRanges.filter(({ bin }) => taken.some((number) => number.startsWith(bin)))).toEqual([]);
  });
  test('do not overlap', () => {
    expect(new Set(cardRanges.map(({ bin }) => bin)).size).toBe(cardRanges.length);
    expect(cardRanges.every(({ bin }) => /^\d{6}$/.test(bin))).toBe(true);
  });
  test('the same seed gives the same card, another seed another one', () => {
    expect(issued('visa', 'visadebit', digitsFrom(1))).toEqual(issued('visa', 'visadebit', digitsFrom(1)));
    expect(issued('visa', 'visadebit', digitsFrom(1))).not.toEqual(issued('visa', 'visadebit', digitsFrom(2)));
  });
});

describe('unknown brands and variants', () => {
  test.each([
    ['amex', 'amex', 'brand'],
    ['', '', 'brand'],
    ['Visa', 'visa', 'brand'],
    ['constructor', 'visa', 'brand'],
    ['visa', 'mcdebit', 'brandVariant'],
    ['visa', 'visagold', 'brandVariant'],
    ['mc', 'visadebit', 'brandVariant'],
    ['mc', '', 'brandVariant'],
  ] as const)('%j with %j: %s', (brand, brandVariant, field) => {
    expect(issueCard({ brand, brandVariant }, now, digitsFrom(seed))).toEqual({ kind: 'unknown', field });
  });
  test('the variants of a brand', () => {
    expect(brandVariantsOf('visa')).toEqual(['visa', 'visacorporate', 'visacredit', 'visadebit', 'visaprepaid']);
    expect(brandVariantsOf('mc')).toHaveLength(9);
    expect(brandVariantsOf('amex')).toEqual([]);
  });
});

test('the masked form shows the last four digits', () => {
  expect(maskAllButLast4('4000056655662357')).toBe('************2357');
});

test.each([
  ['2026-08-31T23:59:59.999Z', '08', '2030'],
  ['2026-12-31T23:59:59.999Z', '12', '2030'],
  ['2027-01-01T00:00:00.000Z', '01', '2031'],
  ['2024-02-29T12:00:00.000Z', '02', '2028'],
])('issued at %s, a card expires in %s/%s', (issuedAt, month, year) => {
  expect(expirationFrom(Date.parse(issuedAt))).toEqual({ month, year });
});
