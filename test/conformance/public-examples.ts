/**
 * The request examples of the public description of the balance platform, version 2: the same members, with texts of our own.
 * `{holder}`, `{account}`, `{other}` and `{instrument}` stand for the ids of resources of the test.
 */
import type { Starting } from './starting-resources.ts';

export interface PublicExample {
  /** The key of the example in the description, without its operation. */
  readonly name: string;
  readonly asks: string;
  readonly body: object;
  /** What the answer has, and the resource from then on. */
  readonly effect: object;
  /** The state of the resources at first. */
  readonly starting?: Starting;
}

const bank = { type: 'bankAccount', description: 'Of the shop', balanceAccountId: '{account}' };
const virtual = { cardholderName: 'Anna van Dijk', brand: 'mc', brandVariant: 'mcdebit', formFactor: 'virtual' };
const contact = {
  address: {
    city: 'Utrecht',
    country: 'NL',
    stateOrProvince: 'UT',
    line1: 'Oudegracht',
    line2: '12',
    postalCode: '3511AB',
  },
  name: { firstName: 'Anna', lastName: 'Dijk' },
};

const accountIn = (name: string, defaultCurrencyCode: string, timeZone: string): PublicExample => ({
  name,
  asks: 'POST /balanceAccounts',
  body: { accountHolderId: '{holder}', description: `In ${defaultCurrencyCode}`, defaultCurrencyCode, timeZone },
  effect: {
    accountHolderId: '{holder}',
    description: `In ${defaultCurrencyCode}`,
    defaultCurrencyCode,
    timeZone,
    status: 'active',
    balances: [
      { available: 0, balance: 0, currency: defaultCurrencyCode, pending: 0, pendingAvailable: 0, reserved: 0 },
    ],
  },
});

const bankAccountIn = (name: string, country: string, type: string, formFactor?: string): PublicExample => ({
  name,
  asks: 'POST /paymentInstruments',
  body: { ...bank, issuingCountryCode: country, ...(formFactor !== undefined && { bankAccount: { formFactor } }) },
  effect: {
    ...bank,
    issuingCountryCode: country,
    status: 'active',
    bankAccount: { type, formFactor: formFactor ?? 'physical' },
  },
});

export const publicExamples: readonly PublicExample[] = [
  {
    name: 'createAccountHolder',
    asks: 'POST /accountHolders',
    body: { description: 'Sells abroad', reference: 'shop-1', legalEntityId: 'LE322JV223222D5GG4DEMO869' },
    effect: {
      description: 'Sells abroad',
      reference: 'shop-1',
      legalEntityId: 'LE322JV223222D5GG4DEMO869',
      balancePlatform: 'DemoPlatform',
      status: 'active',
    },
  },
  {
    name: 'requestAccountHolderCapability',
    asks: 'PATCH /accountHolders/{holder}',
    body: {
      description: 'Sells abroad',
      reference: 'shop-1',
      capabilities: { receivePayments: { requested: true } },
    },
    effect: {
      description: 'Sells abroad',
      reference: 'shop-1',
      capabilities: { receivePayments: { requested: true, verificationStatus: 'valid' } },
    },
  },
  {
    name: 'updateAccountHolderStatus',
    asks: 'PATCH /accountHolders/{holder}',
    body: { status: 'closed' },
    effect: { status: 'closed' },
    starting: { holder: 'alone' },
  },
  {
    name: 'createBalanceAccount',
    asks: 'POST /balanceAccounts',
    body: { accountHolderId: '{holder}', description: 'The main account' },
    effect: {
      accountHolderId: '{holder}',
      description: 'The main account',
      defaultCurrencyCode: 'EUR',
      timeZone: 'Europe/Amsterdam',
      status: 'active',
    },
  },
  accountIn('createBalanceAccountCAD', 'CAD', 'America/Toronto'),
  accountIn('createBalanceAccountGBP', 'GBP', 'Europe/London'),
  accountIn('createBalanceAccountUSD', 'USD', 'America/Chicago'),
  {
    name: 'updateBalanceAccount',
    asks: 'PATCH /balanceAccounts/{account}',
    body: { timeZone: 'America/Chicago' },
    effect: { timeZone: 'America/Chicago' },
  },
  bankAccountIn('createBusinessAccountNL', 'NL', 'iban'),
  bankAccountIn('createBusinessAccountNL-DELocalIBAN', 'DE', 'iban', 'virtual'),
  bankAccountIn('createBusinessAccountNL-FRLocalIBAN', 'FR', 'iban', 'virtual'),
  bankAccountIn('createBusinessAccountUK', 'GB', 'ukLocal'),
  bankAccountIn('createBusinessAccountUS', 'US', 'usLocal'),
  {
    name: 'createPhysicalCard',
    asks: 'POST /paymentInstruments',
    body: {
      type: 'card',
      issuingCountryCode: 'NL',
      balanceAccountId: '{account}',
      description: 'The main card',
      status: 'inactive',
      card: {
        ...virtual,
        formFactor: 'physical',
        deliveryContact: contact,
        configuration: { configurationProfileId: 'CP3227C223222DEMO5ABCDEFG' },
      },
    },
    effect: {
      type: 'card',
      balanceAccountId: '{account}',
      status: 'inactive',
      card: {
        formFactor: 'physical',
        deliveryContact: contact,
        configuration: { configurationProfileId: 'CP3227C223222DEMO5ABCDEFG' },
      },
    },
  },
  {
    name: 'createVirtualCard',
    asks: 'POST /paymentInstruments',
    body: {
      type: 'card',
      description: 'A card for tests',
      balanceAccountId: '{account}',
      issuingCountryCode: 'NL',
      card: virtual,
    },
    effect: { description: 'A card for tests', status: 'active', card: virtual },
  },
  {
    name: 'updatePaymentInstrumentBalanceAccount',
    asks: 'PATCH /paymentInstruments/{instrument}',
    body: { balanceAccountId: '{other}' },
    effect: { balanceAccountId: '{other}', status: 'inactive' },
    starting: { instrument: 'inactive' },
  },
  {
    name: 'updatePaymentInstrumentStatus',
    asks: 'PATCH /paymentInstruments/{instrument}',
    body: { status: 'suspended' },
    effect: { status: 'suspended' },
    starting: { instrument: 'active' },
  },
];
