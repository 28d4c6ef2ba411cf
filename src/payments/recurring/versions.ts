/** The versions of the Recurring service, the newest first. Each older one states its differences to the next one. */
import {
  converted,
  type Field,
  has,
  lacks,
  map,
  type Namespaces,
  type OlderVersion,
  olderVersion,
  optional,
  renamed,
  required,
  service,
  string,
  versionsFrom,
} from '../../core/contract/index.ts';
import { conventions } from '../conventions.ts';
import { recurringOperations } from './contract.ts';
import {
  deactivateRecurring,
  initialiseRecurring,
  prepareStoreToken,
  storeAlias,
  submitRecurring,
} from './older-operations/contract.ts';
import { recurringProblems } from './problems.ts';
import { recurringRoleSet, recurringRoles } from './roles.ts';
import * as shapes from './schemas.ts';

/** XML namespaces, as the published WSDL has them. */
export const namespaces: Namespaces = Object.freeze({
  own: 'recurring',
  uris: Object.freeze({
    recurring: 'http://recurring.services.adyen.com',
    payment: 'http://payment.services.adyen.com',
    common: 'http://common.services.adyen.com',
  }),
  fault: Object.freeze({
    prefix: 'common',
    errors: Object.freeze([
      'Unknown',
      'NotAllowed',
      'NoAmountSpecified',
      'UnableToDetermineVariant',
      'InvalidMerchantAccount',
      'RequestMissing',
      'InternalError',
      'UnableToProcess',
      'PaymentDetailsAreNotSupported',
    ]),
  }),
});

const text = (example: string) => string({ example });
const entries = map(100, { entry: 'value' });
const output = { side: 'output' } as const;
/** Programs without stubs send members of later versions to these. Stubs send none, so they get no answer that they do not know. */
const otherwise = 25;
/** SOAP callers of before versions, and their WSDL. */
const unversioned = { soap: '/pal/servlet/soap/Recurring', wsdl: '/pal/Recurring.wsdl' } as const;

export const newestRecurring = service({
  name: 'Recurring',
  version: 68,
  answers: { from: 68, to: 68 },
  address: '/pal/servlet/Recurring',
  namespaces,
  // Stubs of the published WSDL send other required fields only where the caller has set them.
  mandatoryFields: 'marked',
  conventions,
  problems: recurringProblems,
  errorMap: 'additionalData',
  hashPrefix: '',
  doc: 'Stored payment details of shoppers.',
  roles: recurringRoles,
  roleSets: { recurring: recurringRoleSet },
  operations: Object.values(recurringOperations),
});

const recurringV61 = olderVersion(newestRecurring, {
  version: 61,
  answers: { from: 61, to: 67 },
  errorMap: 'additionalData',
  differences: [lacks('RecurringDetail', 'networkTxReference'), lacks('RecurringDetail', 'transactionLinkId')],
});

const recurringV46 = olderVersion(recurringV61, {
  version: 46,
  answers: { from: 46, to: 60 },
  errorMap: 'additionalData',
  withoutOperations: ['disablePermit'],
});

const recurringV40 = olderVersion(recurringV46, { version: 40, answers: { from: 40, to: 45 } });

/** The newest contract at addresses without a version: their callers have stubs of old versions, which know no later members. */
export const recurringV25 = olderVersion(recurringV40, {
  version: 25,
  answers: { from: 25, to: 39 },
  legacy: { ...unversioned, adapter: '/pal/adapter/httppost' },
  differences: [
    // They are ignored in any version, so a retry through another one repeats the same request.
    lacks('Recurring', 'recurringExpiry', { ignored: 'version 40' }),
    lacks('Recurring', 'recurringFrequency', { ignored: 'version 40' }),
  ],
  withoutOperations: ['createPermit'],
});

const recurringV18 = olderVersion(recurringV25, {
  version: 18,
  answers: { from: 18, to: 24 },
  otherwise,
  differences: [lacks('Recurring', 'tokenService')],
  withoutOperations: ['notifyShopper'],
});

const recurringV13 = olderVersion(recurringV18, {
  version: 13,
  answers: { from: 13, to: 17 },
  otherwise,
  differences: [lacks('BankAccount', 'bankCity'), lacks('BankAccount', 'taxId')],
});

/** Its types are those of the published WSDL, which strict stubs of it require. */
export const recurringV12 = olderVersion(recurringV13, {
  version: 12,
  answers: { from: 12, to: 12 },
  otherwise,
  differences: [
    lacks('RecurringDetailsResult', 'invalidOneclickContracts'),
    lacks('RecurringDetail', 'acquirer'),
    lacks('RecurringDetail', 'acquirerAccount'),
    has('Card', 'billingAddress', optional(shapes.address, 'Not used.'), output),
    has('StoreTokenRequest', 'params', optional(entries, 'Ignored.')),
    has('StoreTokenRequest', 'pspEchoData', optional(text('echo'), 'Ignored.')),
    has('StoreTokenRequest', 'returnUrl', optional(text('https://shop.example.com/return'), 'Ignored.')),
    has('StoreTokenRequest', 'shopperIP', optional(text('192.0.2.1'), 'Ignored.')),
    has('StoreTokenRequest', 'shopperStatement', optional(text('Example shop'), 'Ignored.')),
    has('StoreTokenResult', 'additionalData', optional(entries, 'Not used.')),
    has('StoreTokenResult', 'params', optional(entries, 'Not used.')),
    has('StoreTokenResult', 'pspEchoData', optional(text('echo'), 'Not used.')),
    has('StoreTokenResult', 'redirectType', optional(text('GET'), 'Not used.')),
    has('StoreTokenResult', 'redirectUrl', optional(text('https://shop.example.com/return'), 'Not used.')),
    lacks('StoreTokenResult', 'rechargeReference'),
  ],
  operations: [prepareStoreToken, storeAlias],
});

const recurringV5 = olderVersion(recurringV12, {
  version: 5,
  answers: { from: 5, to: 11 },
  otherwise,
  differences: [lacks('RecurringDetail', 'contractTypes')],
});

const recurringV4 = olderVersion(recurringV5, {
  version: 4,
  answers: { from: 4, to: 4 },
  otherwise,
  differences: [lacks('RecurringDetail', 'additionalData')],
});

const recurringV3 = olderVersion(recurringV4, {
  version: 3,
  answers: { from: 3, to: 3 },
  otherwise,
  differences: [
    lacks('RecurringDetail', 'alias'),
    lacks('RecurringDetail', 'aliasType'),
    lacks('RecurringDetail', 'billingAddress'),
    lacks('RecurringDetail', 'firstPspReference'),
    lacks('RecurringDetail', 'shopperName'),
    lacks('RecurringDetail', 'socialSecurityNumber'),
  ],
});

const recurringV2 = olderVersion(recurringV3, {
  version: 2,
  answers: { from: 2, to: 2 },
  otherwise,
  differences: [lacks('DisableRequest', 'contract')],
});

/** In its WSDL, months have two digits. */
const twoDigits = (newer: string, field: Field) =>
  converted('Card', newer, { ...output, field, downgrade: (month) => String(month).padStart(2, '0') });
const month = string({ pattern: '0[1-9]|1[0-2]', numeric: true, example: '03' });
const { expiryMonth, startMonth } = shapes.shownCard.fields;

/** Its types and operations are those of the first published WSDL. */
const recurringV1 = olderVersion(recurringV2, {
  version: 1,
  answers: { from: 1, to: 1 },
  otherwise,
  legacy: unversioned,
  differences: [
    has('Card', 'brand', optional(text('visa'), 'Not used.'), output),
    twoDigits('expiryMonth', required(month, expiryMonth.doc, { mandatoryInStubs: true, lengthsInStubs: true })),
    twoDigits('startMonth', optional(month, startMonth.doc, { lengthsInStubs: true })),
    lacks('RecurringDetail', 'paymentMethodVariant'),
    lacks('RecurringDetail', 'tokenDetails'),
    has('RecurringDetailsRequest', 'customReference', optional(text('reference'), 'Ignored.')),
    lacks('StoreTokenRequest', 'additionalData'),
    lacks('StoreTokenRequest', 'billingAddress'),
    lacks('StoreTokenRequest', 'params'),
    lacks('StoreTokenRequest', 'pspEchoData'),
    lacks('StoreTokenRequest', 'returnUrl'),
    lacks('StoreTokenRequest', 'selectedBrand'),
    lacks('StoreTokenRequest', 'shopperIP'),
    lacks('StoreTokenRequest', 'shopperName'),
    lacks('StoreTokenRequest', 'shopperStatement'),
    lacks('StoreTokenRequest', 'socialSecurityNumber'),
    lacks('StoreTokenResult', 'additionalData'),
    lacks('StoreTokenResult', 'alias'),
    lacks('StoreTokenResult', 'aliasType'),
    lacks('StoreTokenResult', 'params'),
    lacks('StoreTokenResult', 'pspEchoData'),
    lacks('StoreTokenResult', 'redirectType'),
    lacks('StoreTokenResult', 'redirectUrl'),
    // Both are the reference of the request.
    renamed('StoreTokenResult', 'rechargeReference', 'pspReference'),
  ],
  withoutOperations: ['prepareStoreToken', 'scheduleAccountUpdater', 'storeAlias', 'tokenLookup'],
  operations: [deactivateRecurring, initialiseRecurring, submitRecurring],
});

/** Oldest first. */
export const olderVersions = versionsFrom(recurringV1);

/** The same without version 1 at addresses without a version: version 25 answers all requests there. */
export const olderVersionsWithout1: readonly OlderVersion[] = [
  Object.freeze({ ...recurringV1, legacy: {} }),
  ...olderVersions.slice(1),
];
