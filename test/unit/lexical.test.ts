/** Check digits, against published examples. */
import { describe, expect, test } from '@jest/globals';
import { iban, luhn } from '../../src/contract/lexical.ts';

describe('check digits', () => {
  test.each(['4111111111111111', '5555444433331111', '370000000000002'])('%s passes Luhn', (number) => {
    expect(luhn(number)).toBe(true);
    expect(luhn(`${number.slice(0, -1)}${(Number(number.at(-1)) + 1) % 10}`)).toBe(false);
  });
  test.each(['NL13TEST0123456789', 'GB82WEST12345698765432', 'DE89370400440532013000'])('%s is an IBAN', (text) => {
    expect(iban(text)).toBe(true);
    expect(iban(text.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)))).toBe(false);
  });
});
