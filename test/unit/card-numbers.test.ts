/** Card numbers in texts: what is one, how it is masked, and what it costs to look for them in hostile texts. */
import { describe, expect, test } from '@jest/globals';
import { cardNumberDetector } from '../../src/core/contract/card-numbers.ts';
import { maskSensitive } from '../../src/core/contract/redaction.ts';
import { createTextFinder } from '../../src/core/contract/text-detector.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';

const { detects, mask } = cardNumberDetector;

test.each([
  ['4111111111111111', '************1111'],
  ['4111 1111 1111 1111', '**** **** **** 1111'],
  ['4111-1111-1111-1111', '****-****-****-1111'],
  ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', '* * * * * * * * * * * * 1 1 1 1'],
  ['Anna 5555444433331111, again', 'Anna ************1111, again'],
  ['house 12 4111111111111111 03 2030', 'house 12 ************1111 03 2030'],
  ['4111111111111111 5555444433331111', '************1111 ************1111'],
  ['378282246310005', '***********0005'],
  ['4222222222222', '*********2222'],
  ['6759649826438453', '************8453'],
  ['x4111111111111111y', 'x************1111y'],
])('%s is masked as %s', (text, masked) => {
  expect(detects(text)).toBe(true);
  expect(mask(text)).toBe(masked);
});

test.each([
  ['a wrong check digit', '4111111111111112'],
  ['the range of no brand', '8314442372419168'],
  ['a part of a longer number', '41111111111111110000'],
  ['two blanks between groups', '4111  1111  1111  1111'],
  ['too short', '411111111111'],
  ['a day and a time', '2026-11-22 10:11:12'],
  ['groups of a UUID', '8e395354-0275-499a-bf8e-7a8525923a5e'],
  ['groups behind a letter', 'a4111-1111-1111-1111'],
  ['no digits', 'Anna van Dijk, Simon Carmiggeltstraat'],
])('%s is no card number', (_, text) => {
  expect(detects(text)).toBe(false);
  expect(mask(text)).toBe(text);
});

test('a text has at most 100 candidates, so a hostile one ends soon', () => {
  expect(detects('4111111111111111 ')).toBe(true);
  expect(detects(`${'1 '.repeat(2_000)}4111 1111 1111 1111`)).toBe(false);
});

describe('in a request', () => {
  const { input: schema } = recurringV25.operations.get('storeToken')!;
  const number = '4111 1111 1111 1111';
  const value = {
    merchantAccount: 'DemoMerchant',
    shopperReference: number,
    card: { number: '4111111111111111', cvc: '737', holderName: number, expiryMonth: '3', expiryYear: '2030' },
    additionalData: { note: number, [number]: 'x', other: 'y' },
  };

  test('every text is looked at but those of card fields, keys of maps too', () => {
    expect(createTextFinder(cardNumberDetector)(schema, value)).toEqual([
      ['additionalData', 'note'],
      ['additionalData', '?'],
      ['card', 'holderName'],
      ['shopperReference'],
    ]);
  });

  test('every text is masked, and card fields as before', () => {
    const masked = '**** **** **** 1111';
    expect(maskSensitive(schema, value)).toEqual({
      ...value,
      shopperReference: masked,
      card: { ...value.card, number: '************1111', cvc: '***', holderName: masked },
      additionalData: { note: masked, [masked]: 'x', other: 'y' },
    });
  });
});
