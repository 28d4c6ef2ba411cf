/** Check digits, against published examples. */
import { describe, expect, test } from '@jest/globals';
import { appendLuhnDigit, isIbanValid, isLuhnValid, modulo97 } from '../../src/core/contract/check-digits.ts';

const withNextDigit = (text: string): string => `${text.slice(0, -1)}${(Number(text.at(-1)) + 1) % 10}`;

describe('check digits', () => {
  const published = ['4111111111111111', '5555444433331111', '370000000000002', '6771798021000008', '4000056655665556'];

  test.each(published)('%s is Luhn valid, and with another last digit it is not', (number) => {
    expect(isLuhnValid(number)).toBe(true);
    expect(isLuhnValid(withNextDigit(number))).toBe(false);
  });
  test.each(published)('the last digit of %s is the one that is appended', (number) => {
    expect(appendLuhnDigit(number.slice(0, -1))).toBe(number);
  });
  test('a digit is appended to every number', () => {
    for (let n = 0; n < 1_000; n++) {
      const complete = appendLuhnDigit(`41111100${n}`);
      expect(complete).toHaveLength(`41111100${n}`.length + 1);
      expect(isLuhnValid(complete)).toBe(true);
    }
  });
  test.each(['NL13TEST0123456789', 'GB82WEST12345698765432', 'DE89370400440532013000'])('%s is an IBAN', (text) => {
    expect(isIbanValid(text)).toBe(true);
    expect(isIbanValid(withNextDigit(text))).toBe(false);
  });
  test.each(['', 'NL13', 'nl13TEST0123456789', 'NL13 TEST 0123 4567 89'])('%j is not an IBAN', (text) => {
    expect(isIbanValid(text)).toBe(false);
  });
  test('letters count from ten in the remainder by 97', () => {
    expect(modulo97('TEST0123456789NL13')).toBe(1);
    expect(['0', '96', '97', '98', 'A', 'Z'].map(modulo97)).toEqual([0, 96, 0, 1, 10, 35]);
  });
});
