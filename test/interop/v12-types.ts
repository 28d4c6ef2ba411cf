/** States the types of the published V12 document of the recurring service: names, order, occurrence. */

/** The namespaces by the prefix that the tables below use. */
export const namespaces = {
  recurring: 'http://recurring.services.adyen.com',
  common: 'http://common.services.adyen.com',
  payment: 'http://payment.services.adyen.com',
} as const;

export type Prefix = keyof typeof namespaces;

export const operations = [
  'disable',
  'listRecurringDetails',
  'prepareStoreToken',
  'scheduleAccountUpdater',
  'storeAlias',
  'storeToken',
  'tokenLookup',
] as const;

/** The types of the request and the result of each operation. */
export const messages: Readonly<Record<(typeof operations)[number], readonly [request: string, result: string]>> = {
  disable: ['DisableRequest', 'DisableResult'],
  listRecurringDetails: ['RecurringDetailsRequest', 'RecurringDetailsResult'],
  prepareStoreToken: ['StoreTokenRequest', 'StoreTokenResult'],
  scheduleAccountUpdater: ['ScheduleAccountUpdaterRequest', 'ScheduleAccountUpdaterResult'],
  storeAlias: ['StoreAliasRequest', 'StoreAliasResult'],
  storeToken: ['StoreTokenRequest', 'StoreTokenResult'],
  tokenLookup: ['TokenLookupRequest', 'TokenLookupResult'],
};

/**
 * The members of each object, in order. `name`: an optional, nillable string. `name!`: required and not nillable. `name:type`: of that
 * type. `name*`: any number, nillable. `name(1-20)`: a string of so many characters.
 */
export const objects: Readonly<Record<Prefix, Readonly<Record<string, string>>>> = {
  recurring: {
    DisableRequest: 'contract merchantAccount recurringDetailReference shopperReference',
    DisableResult: 'response',
    RecurringDetail:
      'additionalData:recurring:anyType2anyTypeMap alias aliasType bank:payment:BankAccount billingAddress:common:Address ' +
      'card:payment:Card contractTypes:recurring:ArrayOfString creationDate:xsd:dateTime elv:payment:ELV firstPspReference ' +
      'name paymentMethodVariant recurringDetailReference shopperName:common:Name socialSecurityNumber ' +
      'tokenDetails:payment:TokenDetails variant',
    RecurringDetailsRequest: 'merchantAccount recurring:payment:Recurring shopperReference',
    RecurringDetailsResult:
      'creationDate:xsd:dateTime details:recurring:ArrayOfRecurringDetail lastKnownShopperEmail shopperReference',
    ScheduleAccountUpdaterRequest:
      'additionalData:recurring:anyType2anyTypeMap card:payment:Card merchantAccount! reference ' +
      'selectedRecurringDetailReference shopperReference',
    ScheduleAccountUpdaterResult: 'pspReference result',
    StoreAliasRequest: 'additionalData:recurring:anyType2anyTypeMap aliasType! card:payment:Card',
    StoreAliasResult: 'alias aliasType',
    StoreTokenRequest:
      'additionalData:recurring:anyType2anyTypeMap bank:payment:BankAccount card:payment:Card elv:payment:ELV merchantAccount ' +
      'name params:recurring:anyType2anyTypeMap pspEchoData recurring:payment:Recurring returnUrl selectedBrand shopperEmail ' +
      'shopperIP shopperReference shopperStatement',
    StoreTokenResult:
      'additionalData:recurring:anyType2anyTypeMap alias aliasType params:recurring:anyType2anyTypeMap pspEchoData pspReference ' +
      'recurringDetailReference redirectType redirectUrl result',
    TokenDetail: 'creationDate:xsd:dateTime lastKnownShopperEmail shopperReference',
    TokenLookupRequest:
      'additionalData:recurring:anyType2anyTypeMap bank:payment:BankAccount card:payment:Card elv:payment:ELV merchantAccount',
    TokenLookupResult: 'additionalData:recurring:anyType2anyTypeMap pspReference tokens:recurring:ArrayOfTokenDetail',
    ArrayOfRecurringDetail: 'RecurringDetail*:recurring:RecurringDetail',
    ArrayOfTokenDetail: 'TokenDetail*:recurring:TokenDetail',
    ArrayOfString: 'string*',
  },
  common: {
    Address: 'city country houseNumberOrName postalCode stateOrProvince street',
    Name: 'firstName gender:common:Gender infix lastName',
    ServiceException: 'error:common:Error type:common:Type',
  },
  payment: {
    BankAccount: 'bankAccountNumber bankLocationId bankName bic countryCode iban ownerName',
    Card:
      'billingAddress:common:Address cvc(1-20) expiryMonth!(1-2) expiryYear!(4-4) holderName!(1-50) issueNumber(1-2) ' +
      'number!(4-19) startMonth(1-2) startYear(4-4)',
    ELV: 'accountHolderName bankAccountNumber bankLocation bankLocationId bankName',
    Recurring: 'contract recurringDetailName',
    TokenDetails: 'tokenData:recurring:anyType2anyTypeMap tokenDataType',
  },
};

export const enumerations: Readonly<Record<string, readonly string[]>> = {
  Gender: ['MALE', 'FEMALE', 'UNKNOWN'],
  Error: [
    'Unknown',
    'NotAllowed',
    'NoAmountSpecified',
    'UnableToDetermineVariant',
    'InvalidMerchantAccount',
    'RequestMissing',
    'InternalError',
    'UnableToProcess',
    'PaymentDetailsAreNotSupported',
  ],
  Type: ['internal', 'validation', 'security', 'configuration'],
};
