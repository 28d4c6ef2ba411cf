/** The shoppers of the demo: those that the README describes, and generated ones. */
import { appendLuhnDigit } from '../../../core/contract/index.ts';
import type { ContractType, NewDetail, ShopperKey } from '../../../payments/index.ts';

export interface DemoDetail {
  readonly key: ShopperKey;
  readonly detail: Omit<NewDetail, 'firstPspReference'>;
}

const holderName = 'Anna van Dijk';
const nothing = Object.freeze({});

const cardOf = (number: string, expiryMonth: string, expiryYear: string) => ({
  number,
  expiryMonth,
  expiryYear,
  holderName,
});

const demo = (shopperReference: string): ShopperKey => ({
  company: 'Demo',
  merchantAccount: 'DemoMerchant',
  shopperReference,
});

const first = demo('shopper-1');
const other: ShopperKey = { company: 'Other', merchantAccount: 'OtherMerchant', shopperReference: 'shopper-1' };
const shopperEmail = 'shopper-1@example.com';

/** Public test card numbers, the oldest detail first. */
export const firstDetails: readonly DemoDetail[] = Object.freeze<DemoDetail[]>([
  {
    key: first,
    detail: {
      card: cardOf('4111111111111111', '3', '2030'),
      contracts: ['ONECLICK', 'RECURRING'],
      shopperEmail,
      also: nothing,
    },
  },
  {
    key: first,
    detail: { card: cardOf('5555444433331111', '10', '2031'), contracts: ['RECURRING'], shopperEmail, also: nothing },
  },
  {
    key: first,
    detail: {
      bank: { iban: 'NL13TEST0123456789', ownerName: holderName, countryCode: 'NL' },
      contracts: ['PAYOUT'],
      shopperEmail,
      also: nothing,
    },
  },
  {
    key: other,
    detail: { card: cardOf('4444333322221111', '8', '2030'), contracts: ['RECURRING'], also: nothing },
  },
]);

const uses: readonly ContractType[] = Object.freeze(['ONECLICK', 'RECURRING']);

/** Returns shopper `n`, from 1, with three cards from the ranges of the public test numbers. */
export const generatedShopper = (n: number): readonly DemoDetail[] => {
  const key = demo(`shopper-${String(n).padStart(6, '0')}`);
  const numbers = [
    appendLuhnDigit(`411111${String(n).padStart(9, '0')}`),
    appendLuhnDigit(`555544${String(n).padStart(9, '0')}`),
    appendLuhnDigit(`370000${String(n).padStart(8, '0')}`),
  ];
  return numbers.map((number) => ({
    key,
    detail: {
      card: cardOf(number, '3', '2030'),
      contracts: uses,
      shopperEmail: `${key.shopperReference}@example.com`,
      also: nothing,
    },
  }));
};
