/** The records of the recurring interface: fields, order, lengths and enumerations of the newest version. */
import {
  type Choice,
  dateTime,
  type Fields,
  type Grant,
  integer,
  joined,
  list,
  map,
  object,
  oneOf,
  optional,
  required,
  string,
} from '../../core/contract/index.ts';
import { ignoredMembers } from './ignored-members.ts';
import { recurringProblems } from './problems.ts';

export const text = (max: number, example: string) => string({ max, example });

/** A member of answers that the published WSDL of version 12 lacks: Axis 1.4 stubs of it refuse an answer with any other element. */
export const unknownToV12 = { nillable: false } as const;

/** 2020-03-01T10:53:11Z, in the examples of the reference. */
export const someDay = 1_583_059_991_000;

export const merchantAccountGrant = Object.freeze<Grant>({
  name: 'merchantAccount',
  refusal: recurringProblems.foreignMerchantAccount,
});

export const account = string({ min: 1, max: 80, authorizes: merchantAccountGrant, example: 'DemoMerchant' });
/** A reference of the merchant's; an empty one is refused, since leaving it out can mean more. */
export const reference = string({ min: 1, max: 256, emptyString: 'invalid', example: 'shopper-1' });
export const detailReference = string({ min: 1, max: 80, emptyString: 'invalid', example: '8314442372419167' });

export const merchantAccount = required(account, 'The merchant account that processes the request.', {
  missing: recurringProblems.invalidMerchantAccount,
  invalid: recurringProblems.invalidMerchantAccount,
});
export const shopperReference = required(reference, 'The shopper, as the merchant names it.', {
  missing: recurringProblems.missingShopperReference,
});

export const detailName = text(200, 'My card');
export const email = text(256, 'shopper@example.com');
export const shopperEmail = optional(email, "The shopper's e-mail.");
export const socialSecurityNumber = optional(
  string({ max: 40, sensitive: true, example: '123456789' }),
  "The shopper's social security number, where collecting it is legal.",
);
/** As a caller gives it; an answer shows the variant that was found. */
export const givenVariant = optional(
  string({ pattern: '[A-Za-z0-9_]{1,80}', example: 'visa' }),
  'The payment method, where the number alone does not tell.',
);

/** The uses that a stored detail can have. */
export const contractType = oneOf('ContractType', 'ONECLICK', 'RECURRING', 'PAYOUT', 'EXTERNAL');
export const contractTypes = joined(contractType);
/** The uses that `disable` may name; leaving them out means all. */
export const someContractTypes = joined(oneOf('DisabledContractType', 'ONECLICK', 'RECURRING', 'PAYOUT'), {
  emptyString: 'invalid',
});

export const address = object(
  'Address',
  {
    city: required(text(3000, 'Amsterdam'), 'The city.'),
    country: required(
      string({ pattern: '[A-Z]{2}', example: 'NL' }),
      'Two letters, ISO 3166-1; ZZ where it is not known.',
      { invalid: recurringProblems.invalidCountry },
    ),
    houseNumberOrName: required(text(3000, '12'), 'The number or name of the house.'),
    postalCode: optional(text(10, '1011 DJ'), 'The postal code: five characters in the US, up to ten elsewhere.'),
    stateOrProvince: optional(text(1000, 'NH'), 'The state or province, where the country has them.'),
    street: required(text(3000, 'Simon Carmiggeltstraat'), 'The street.'),
  },
  { namespace: 'common' },
);

export const amount = object(
  'Amount',
  {
    currency: required(string({ min: 3, max: 3, format: 'currency', example: 'INR' }), 'Three letters, ISO 4217.', {
      mandatoryInStubs: true,
    }),
    value: required(integer(0, 999_999_999_999_999, 1000), 'The amount in minor units.', { mandatoryInStubs: true }),
  },
  { namespace: 'common' },
);

export const name = object(
  'Name',
  {
    firstName: required(text(80, 'Anna'), 'The first name.'),
    gender: optional(oneOf('Gender', 'MALE', 'FEMALE', 'UNKNOWN'), 'MALE, FEMALE or UNKNOWN.'),
    infix: optional(text(20, 'van'), 'What stands between the names, if anything.'),
    lastName: required(text(80, 'Dijk'), 'The last name.'),
  },
  { namespace: 'common' },
);

const month = string({ pattern: '0?[1-9]|1[0-2]', numeric: true, example: '3' });
const year = string({ pattern: '20[0-9]{2}', example: '2030' });
const holderName = required(text(50, 'Anna van Dijk'), 'The name on the card.', {
  missing: recurringProblems.missingCardHolder,
  mandatoryInStubs: true,
  lengthsInStubs: true,
});
const expiry = {
  missing: recurringProblems.invalidExpiry,
  invalid: recurringProblems.invalidExpiry,
  mandatoryInStubs: true,
  lengthsInStubs: true,
} as const;
const lengthsInStubs = { lengthsInStubs: true } as const;

const cardFields = {
  expiryMonth: required(month, 'The month in which the card expires, 1 to 12.', expiry),
  expiryYear: required(year, 'The year in which the card expires, four digits.', expiry),
  holderName,
  issueNumber: optional(
    string({ pattern: '[0-9]{1,2}', example: '1' }),
    'The issue number, for some UK debit cards.',
    lengthsInStubs,
  ),
  startMonth: optional(month, 'The month from which the card holds, for some UK debit cards.', lengthsInStubs),
  startYear: optional(year, 'The year from which the card holds, for some UK debit cards.', lengthsInStubs),
} as const;

/** A card as a caller gives it. */
export const card = object(
  'Card',
  {
    cvc: optional(
      string({ pattern: '[0-9]{1,20}', sensitive: true, neverStored: true, example: '737' }),
      'The security code: three or four digits, as the brand has them. Validated, never stored.',
      { invalid: recurringProblems.invalidCvc, ...lengthsInStubs },
    ),
    expiryMonth: cardFields.expiryMonth,
    expiryYear: cardFields.expiryYear,
    holderName: cardFields.holderName,
    issueNumber: cardFields.issueNumber,
    number: required(
      string({ pattern: '[0-9]{12,19}', format: 'luhn', sensitive: true, example: '4111111111111111' }),
      'The card number, digits only.',
      {
        missing: recurringProblems.invalidCardNumber,
        invalid: recurringProblems.invalidCardNumber,
        mandatoryInStubs: true,
        ...lengthsInStubs,
      },
    ),
    startMonth: cardFields.startMonth,
    startYear: cardFields.startYear,
  },
  { namespace: 'payment', ignoredMembers: ignoredMembers.Card },
);

/** A card to be looked up at its issuer: one that has expired is as good as another. */
export const cardToUpdate = object(
  'Card',
  {
    ...card.fields,
    expiryMonth: required(month, 'The month in which the card expires, 1 to 12.', {
      ...expiry,
      invalid: recurringProblems.invalidExpiryMonth,
    }),
  },
  { namespace: 'payment', ignoredMembers: ignoredMembers.Card },
);

/** A card as an answer shows it: the last four digits, no security code. */
export const shownCard = object(
  'Card',
  {
    expiryMonth: cardFields.expiryMonth,
    expiryYear: cardFields.expiryYear,
    holderName: cardFields.holderName,
    issueNumber: cardFields.issueNumber,
    number: required(string({ pattern: '[0-9]{4}', example: '1111' }), 'The last four digits.', {
      mandatoryInStubs: true,
      ...lengthsInStubs,
    }),
    startMonth: cardFields.startMonth,
    startYear: cardFields.startYear,
  },
  { namespace: 'payment' },
);

const accountOrIban: Choice = {
  options: [['iban'], ['bankAccountNumber']],
  exclusive: false,
  problem: recurringProblems.missingBankDetails,
  doc: 'An IBAN, or the number of a bank account, or both.',
};

export const bankAccount = object(
  'BankAccount',
  {
    bankAccountNumber: optional(
      string({ pattern: '[0-9A-Za-z .-]{1,34}', sensitive: true, example: '123456789' }),
      'The account number, without spaces.',
      { invalid: recurringProblems.invalidBankAccount },
    ),
    bankCity: optional(text(100, 'Amsterdam'), 'The city of the bank.', unknownToV12),
    bankLocationId: optional(text(40, '09999'), 'The branch, where the country has such a number.'),
    bankName: optional(text(100, 'Test Bank'), 'The name of the bank.'),
    bic: optional(
      string({ pattern: '[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?', example: 'TESTNL2A' }),
      'The business identifier code of the bank (ISO 9362).',
      { invalid: recurringProblems.invalidBic },
    ),
    countryCode: optional(string({ pattern: '[A-Z]{2}', example: 'NL' }), 'The country of the account.', {
      invalid: recurringProblems.invalidCountry,
    }),
    iban: optional(
      string({ max: 34, format: 'iban', sensitive: true, example: 'NL13TEST0123456789' }),
      'The international account number (ISO 13616), without spaces.',
      { invalid: recurringProblems.invalidIban },
    ),
    ownerName: required(
      string({ min: 3, max: 100, pattern: '.*[A-Za-z].*', example: 'Anna van Dijk' }),
      'The owner of the account: three characters or more, one Latin letter at least.',
      { missing: recurringProblems.missingAccountHolder, invalid: recurringProblems.invalidOwnerName },
    ),
    taxId: optional(
      string({ max: 40, sensitive: true, example: '123456789' }),
      "The owner's tax number, where the country wants it.",
      unknownToV12,
    ),
  },
  { namespace: 'payment', choices: [accountOrIban] },
);

/** The German direct debit of before IBAN. */
export const elv = object(
  'ELV',
  {
    accountHolderName: required(text(100, 'Anna van Dijk'), 'The owner of the account.', {
      missing: recurringProblems.missingAccountHolder,
    }),
    bankAccountNumber: required(
      string({ pattern: '[0-9]{1,10}', sensitive: true, example: '1234567890' }),
      'The account number.',
      { missing: recurringProblems.invalidBankAccount, invalid: recurringProblems.invalidBankAccount },
    ),
    bankLocation: optional(text(100, 'Berlin'), 'The city of the bank.'),
    bankLocationId: required(string({ pattern: '[0-9]{8}', example: '10000000' }), 'The bank code (Bankleitzahl).'),
    bankName: optional(text(100, 'Test Bank'), 'The name of the bank.'),
  },
  { namespace: 'payment' },
);

const recurringFields = <C extends Fields>(contract: C) => ({
  ...contract,
  recurringDetailName: optional(detailName, 'A name for the detail.'),
  recurringExpiry: optional(
    dateTime(Date.UTC(2030, 11, 31), { neverStored: true }),
    'The moment after which there are no payments, for 3D Secure 2. Ignored.',
  ),
  recurringFrequency: optional(
    string({ max: 40, neverStored: true, example: '28' }),
    'The fewest days between two payments, for 3D Secure 2. Ignored.',
  ),
  tokenService: optional(
    oneOf('TokenService', 'VISATOKENSERVICE', 'MCTOKENSERVICE', 'AMEXTOKENSERVICE', 'TOKEN_SHARING'),
    'The network token service.',
  ),
});

const recurringOptions = { namespace: 'payment' } as const;

const contractDoc = 'ONECLICK, RECURRING, PAYOUT or EXTERNAL, or a comma-separated combination.';

/** The contract to retrieve. */
export const recurring = object(
  'Recurring',
  recurringFields({ contract: optional(contractTypes, contractDoc, { invalid: recurringProblems.invalidContract }) }),
  recurringOptions,
);

/** The contract to store under. */
export const agreedRecurring = object(
  'Recurring',
  recurringFields({
    contract: required(contractTypes, contractDoc, {
      missing: recurringProblems.invalidRecurringContract,
      invalid: recurringProblems.invalidRecurringContract,
    }),
  }),
  recurringOptions,
);

export const additionalData = map(100, { cardBin: '411111' });

export const tokenDetails = object(
  'TokenDetails',
  {
    tokenData: optional(map(100, { EmailId: 'shopper@example.com' }), "The token's own data."),
    tokenDataType: optional(text(40, 'PayPal'), 'What kind of token it is.'),
  },
  { namespace: 'payment' },
);

export const recurringDetail = object('RecurringDetail', {
  acquirer: optional(text(80, 'TestPmmAcquirer'), 'The acquirer of the first payment.', unknownToV12),
  acquirerAccount: optional(text(80, 'TestPmmAcquirerAccount'), 'The account at the acquirer.', unknownToV12),
  additionalData: optional(
    map(103, { cardBin: '411111' }),
    "The merchant's entries of key and value; and newExpiryMonth, newExpiryYear and newAlias once the card was updated.",
  ),
  alias: optional(text(80, 'H167852639363479'), 'Alias of the card number; only where a card is stored.'),
  aliasType: optional(text(40, 'Default'), 'Type of the alias; only where a card is stored.'),
  bank: optional(bankAccount, 'The bank account.'),
  billingAddress: optional(address, 'The billing address.'),
  card: optional(shownCard, 'The card, its number by the last four digits.'),
  contractTypes: optional(
    list(contractType, 'string', { max: contractType.values.length }),
    'What the detail may be used for.',
  ),
  creationDate: required(dateTime(someDay), 'When the detail was created.'),
  elv: optional(elv, 'The account of a German direct debit.'),
  firstPspReference: required(text(16, '8815252013129012'), 'The pspReference of the payment that created the detail.'),
  name: optional(detailName, 'A descriptive name.'),
  networkTxReference: optional(
    string({ example: 'MCC1234567890' }),
    'The reference that the card network gave the first payment: the entry `networkTxReference` of additionalData.',
  ),
  paymentMethodVariant: optional(text(80, 'visacredit'), 'The sub-brand, such as visacredit.'),
  recurringDetailReference: required(detailReference, 'Identifies the detail.'),
  shopperName: optional(name, 'The name of the shopper.'),
  socialSecurityNumber,
  tokenDetails: optional(tokenDetails, 'The token of a wallet, where that is what is stored.'),
  transactionLinkId: optional(
    string({ example: 'TLI1234567890' }),
    'The identifier by which the card network links payments: the entry `transactionLinkId` of additionalData.',
  ),
  variant: required(text(80, 'visa'), 'The payment method, such as mc, visa, ideal.'),
});

/** A shopper who holds what was looked up. */
const tokenDetail = object('TokenDetail', {
  creationDate: required(dateTime(someDay), 'When the detail was created.'),
  lastKnownShopperEmail: optional(email, "The shopper's most recent e-mail."),
  shopperReference: required(reference, 'The shopper.'),
});

export const tokens = list(tokenDetail, 'TokenDetail', { wrapped: true, max: 100 });

export const recurringDetails = list(recurringDetail, 'RecurringDetail', { wrapped: true, max: 100 });
