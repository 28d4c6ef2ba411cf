/**
 * The schemas of the public description of the balance platform, version 2, as far as the served operations use them.
 * Each is a list of `member:type`. An asterisk marks a required member, `|` an enumeration, `[T]` a list, `{T}` a map.
 */
const table = {
  AccountHolder:
    'balancePlatform:string capabilities:{AccountHolderCapability} contactDetails:ContactDetails ' +
    'description:string id*:string legalEntityId*:string metadata:{string} migratedAccountHolderCode:string ' +
    'primaryBalanceAccount:string reference:string status:active|closed|suspended timeZone:string ' +
    'verificationDeadlines:[VerificationDeadline]',
  AccountHolderCapability:
    'allowed:boolean allowedLevel:high|low|medium|notApplicable allowedSettings:CapabilitySettings ' +
    'enabled:boolean problems:[CapabilityProblem] requested:boolean ' +
    'requestedLevel:high|low|medium|notApplicable requestedSettings:CapabilitySettings ' +
    'transferInstruments:[AccountSupportingEntityCapability] verificationStatus:invalid|pending|rejected|valid',
  AccountHolderInfo:
    'balancePlatform:string capabilities:{AccountHolderCapability} contactDetails:ContactDetails ' +
    'description:string legalEntityId*:string metadata:{string} migratedAccountHolderCode:string ' +
    'reference:string timeZone:string',
  AccountHolderUpdateRequest:
    'balancePlatform:string capabilities:{AccountHolderCapability} contactDetails:ContactDetails ' +
    'description:string metadata:{string} migratedAccountHolderCode:string primaryBalanceAccount:string ' +
    'reference:string status:active|closed|suspended timeZone:string ' +
    'verificationDeadlines:[VerificationDeadline]',
  AccountSupportingEntityCapability:
    'allowed:boolean allowedLevel:high|low|medium|notApplicable enabled:boolean id:string requested:boolean ' +
    'requestedLevel:high|low|medium|notApplicable verificationStatus:invalid|pending|rejected|valid',
  Address:
    'city*:string country*:string houseNumberOrName*:string postalCode*:string stateOrProvince:string ' +
    'street*:string',
  Amount: 'currency*:string value*:integer',
  Authentication: 'email:string password:string phone:Phone',
  Balance:
    'available*:integer balance*:integer currency*:string pending:integer pendingAvailable:integer ' +
    'reserved*:integer',
  BalanceAccount:
    'accountHolderId*:string balances:[Balance] defaultCurrencyCode:string description:string id*:string ' +
    'metadata:{string} migratedAccountCode:string platformPaymentConfiguration:PlatformPaymentConfiguration ' +
    'reference:string status:active|closed|inactive|suspended timeZone:string',
  BalanceAccountBase:
    'accountHolderId*:string defaultCurrencyCode:string description:string id*:string metadata:{string} ' +
    'migratedAccountCode:string platformPaymentConfiguration:PlatformPaymentConfiguration reference:string ' +
    'status:active|closed|inactive|suspended timeZone:string',
  BalanceAccountInfo:
    'accountHolderId*:string defaultCurrencyCode:string description:string metadata:{string} ' +
    'migratedAccountCode:string platformPaymentConfiguration:PlatformPaymentConfiguration reference:string ' +
    'timeZone:string',
  BalanceAccountUpdateRequest:
    'accountHolderId:string description:string metadata:{string} ' +
    'platformPaymentConfiguration:PlatformPaymentConfiguration reference:string ' +
    'status:active|closed|inactive|suspended timeZone:string',
  BalancePlatform: 'description:string id*:string status:string',
  BankAccountDetails:
    'accountNumber:string accountType:string branchNumber:string formFactor:string iban:string ' +
    'routingNumber:string sortCode:string type*:string',
  BankAccountModel: 'formFactor:physical|unknown|virtual',
  BulkAddress:
    'city:string company:string country*:string email:string houseNumberOrName:string line1:string ' +
    'line2:string line3:string mobile:string name:string postalCode:string stateOrProvince:string ' +
    'street:string',
  CapabilityProblem: 'entity:CapabilityProblemEntity verificationErrors:[VerificationError]',
  CapabilityProblemEntity:
    'documents:[string] id:string owner:CapabilityProblemEntityRecursive type:BankAccount|Document|LegalEntity',
  CapabilityProblemEntityRecursive: 'documents:[string] id:string type:BankAccount|Document|LegalEntity',
  CapabilitySettings:
    'amountPerIndustry:{Amount} authorizedCardUsers:boolean fundingSource:[credit|debit|prepaid] ' +
    'interval:daily|monthly|weekly maxAmount:Amount',
  Card:
    'authentication:Authentication bin:string brand*:string brandVariant*:string cardholderName*:string ' +
    'configuration:CardConfiguration cvc:string deliveryContact:DeliveryContact expiration:Expiry ' +
    'formFactor*:physical|unknown|virtual lastFour:string number:string threeDSecure:string usage:string',
  CardConfiguration:
    'activation:string activationUrl:string bulkAddress:BulkAddress cardImageId:string carrier:string ' +
    'carrierImageId:string configurationProfileId*:string currency:string envelope:string insert:string ' +
    'language:string logoImageId:string pinMailer:string printLine:string shipmentMethod:string',
  CardInfo:
    'authentication:Authentication brand*:string brandVariant*:string cardholderName*:string ' +
    'configuration:CardConfiguration deliveryContact:DeliveryContact formFactor*:physical|unknown|virtual ' +
    'threeDSecure:string usage:string',
  ContactDetails: 'address*:Address email*:string phone*:Phone webAddress:string',
  DeliveryAddress:
    'city:string country*:string line1:string line2:string line3:string postalCode:string ' + 'stateOrProvince:string',
  DeliveryContact:
    'address*:DeliveryAddress company:string email:string fullPhoneNumber:string name*:Name ' +
    'phoneNumber:PhoneNumber webAddress:string',
  Expiry: 'month:string year:string',
  InvalidField: 'message*:string name*:string value*:string',
  Name: 'firstName*:string lastName*:string',
  PaginatedAccountHoldersResponse: 'accountHolders*:[AccountHolder] hasNext*:boolean hasPrevious*:boolean',
  PaginatedBalanceAccountsResponse: 'balanceAccounts*:[BalanceAccountBase] hasNext*:boolean hasPrevious*:boolean',
  PaginatedPaymentInstrumentsResponse: 'hasNext*:boolean hasPrevious*:boolean paymentInstruments*:[PaymentInstrument]',
  PaymentInstrument:
    'additionalBankAccountIdentifications:[any] balanceAccountId*:string bankAccount:BankAccountDetails ' +
    'card:Card description:string id*:string issuingCountryCode*:string paymentInstrumentGroupId:string ' +
    'reference:string replacedById:string replacementOfId:string status:active|closed|inactive|suspended ' +
    'statusComment:string ' +
    'statusReason:accountClosure|damaged|endOfLife|expired|lost|other|stolen|suspectedFraud|transactionRule ' +
    'type*:bankAccount|card',
  PaymentInstrumentInfo:
    'balanceAccountId*:string bankAccount:BankAccountModel card:CardInfo description:string ' +
    'issuingCountryCode*:string paymentInstrumentGroupId:string reference:string ' +
    'status:active|closed|inactive|suspended statusComment:string ' +
    'statusReason:accountClosure|damaged|endOfLife|expired|lost|other|stolen|suspectedFraud|transactionRule ' +
    'type*:bankAccount|card',
  PaymentInstrumentUpdateRequest:
    'balanceAccountId:string card:CardInfo status:active|closed|inactive|suspended statusComment:string ' +
    'statusReason:accountClosure|damaged|endOfLife|expired|lost|other|stolen|suspectedFraud|transactionRule',
  Phone: 'number*:string type*:landline|mobile',
  PhoneNumber: 'phoneCountryCode:string phoneNumber:string phoneType:Fax|Landline|Mobile|SIP',
  PlatformPaymentConfiguration: 'salesDayClosingTime:string settlementDelayDays:integer',
  RemediatingAction: 'code:string message:string',
  RestServiceError:
    'detail*:string errorCode*:string instance:string invalidFields:[InvalidField] requestId:string ' +
    'response:any status*:integer title*:string type*:string',
  VerificationDeadline: 'capabilities*:[string] entityIds:[string] expiresAt*:date-time',
  VerificationError:
    'capabilities:[string] code:string message:string remediatingActions:[RemediatingAction] ' +
    'subErrors:[VerificationErrorRecursive] type:dataMissing|dataReview|invalidInput|pendingStatus',
  VerificationErrorRecursive:
    'capabilities:[string] code:string message:string type:dataMissing|dataReview|invalidInput|pendingStatus ' +
    'remediatingActions:[RemediatingAction]',
} as const;

export type PublicSchema = keyof typeof table;

/** The schema of a successful answer, by the path. */
export const publicAnswers: readonly (readonly [RegExp, PublicSchema])[] = [
  [/^[/]balancePlatforms[/][^/]+$/, 'BalancePlatform'],
  [/^[/]balancePlatforms[/][^/]+[/]accountHolders$/, 'PaginatedAccountHoldersResponse'],
  [/^[/]accountHolders([/][^/]+)?$/, 'AccountHolder'],
  [/^[/]accountHolders[/][^/]+[/]balanceAccounts$/, 'PaginatedBalanceAccountsResponse'],
  [/^[/]balanceAccounts([/][^/]+)?$/, 'BalanceAccount'],
  [/^[/]balanceAccounts[/][^/]+[/]paymentInstruments$/, 'PaginatedPaymentInstrumentsResponse'],
  // The public description has no cancel.
  [/^[/]paymentInstruments([/][^/]+([/]cancel)?)?$/, 'PaymentInstrument'],
];

export interface PublicMember {
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
}

/** The members of each schema, which has no others. */
export const publicSchemas: ReadonlyMap<string, readonly PublicMember[]> = new Map(
  Object.entries(table).map(([name, members]) => [name, members.split(' ').map(parseMember)]),
);

function parseMember(text: string): PublicMember {
  const [, name = '', asterisk, type = ''] = /^(\w+)([*]?):(.+)$/.exec(text) ?? [];
  return { name, required: asterisk === '*', type };
}
