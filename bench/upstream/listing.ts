/** A listing with two cards and an account, as the upstream of the bench writes it. */
const holderName = 'Anna van Dijk';

const cards = [
  { number: '1111', expiryMonth: '3', expiryYear: '2030', variant: 'visa', reference: '8313147988756818' },
  { number: '1111', expiryMonth: '10', expiryYear: '2031', variant: 'mc', reference: '8415995487234100' },
].map(({ number, expiryMonth, expiryYear, variant, reference }) => ({
  RecurringDetail: {
    additionalData: { cardBin: '411111' },
    alias: 'H167852639363479',
    aliasType: 'Default',
    card: { expiryMonth, expiryYear, holderName, number },
    contractTypes: ['ONECLICK', 'RECURRING'],
    creationDate: '2020-03-01T10:53:11Z',
    firstPspReference: '8815252013129012',
    paymentMethodVariant: variant,
    recurringDetailReference: reference,
    variant,
  },
}));

const account = {
  RecurringDetail: {
    bank: { countryCode: 'NL', iban: 'NL13TEST0123456789', ownerName: holderName },
    contractTypes: ['PAYOUT'],
    creationDate: '2021-01-01T00:00:00Z',
    firstPspReference: '8815252013129014',
    paymentMethodVariant: 'sepadirectdebit',
    recurringDetailReference: '8814232895168272',
    variant: 'sepadirectdebit',
  },
};

export const listing = {
  creationDate: '2020-03-01T10:53:11Z',
  details: [...cards, account],
  lastKnownShopperEmail: 'shopper@example.com',
  shopperReference: 'shopper-1',
};
