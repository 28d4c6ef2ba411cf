/** The payment instrument, a card or a bank account: its records and the operations on it. */

import {
  type Infer,
  list,
  object,
  oneOf,
  operation,
  optional,
  required,
  string,
  type Transitions,
} from '../../../core/contract/index.ts';
import { platformProblems } from '../problems.ts';
import { readOnly, readOnlyId } from '../read-only.ts';
import { roles } from '../roles.ts';
import * as shapes from '../schemas.ts';
import { card, cardInfo, cardUpdate, formFactor } from './card-contract.ts';

const instrumentStatus = oneOf('PaymentInstrumentStatus', 'active', 'closed', 'inactive', 'suspended');

/** Any reason can come with each. */
export const instrumentTransitions: Transitions<Infer<typeof instrumentStatus>> = {
  inactive: {
    active: 'Activates it, such as a card that has arrived. Its balance account and account holder must be active.',
    suspended: 'Blocks it before it was used, such as a card that is lost on its way.',
    closed: 'Ends it before it was used. `cancelPaymentInstrument` does the same.',
  },
  active: {
    suspended: 'Deactivates it for a time, such as a card that is mislaid, or a suspected fraud.',
    closed:
      'Ends it for good, such as a card that is lost, stolen, damaged or expired. A replacement that becomes active does the same.',
  },
  suspended: {
    active: 'Activates it again, such as a card that is found. Its balance account and account holder must be active.',
    closed: 'Ends it for good, such as a card that stays lost.',
  },
  closed: {},
};
const instrumentType = oneOf('PaymentInstrumentType', 'card', 'bankAccount');

export const statusReason = oneOf(
  'StatusReason',
  'accountClosure',
  'damaged',
  'endOfLife',
  'expired',
  'lost',
  'other',
  'stolen',
  'suspectedFraud',
  'transactionRule',
);

const bankAccountInfo = object('BankAccountInfo', {
  formFactor: optional(formFactor, 'physical where it is left out.'),
});

/** The country of issue decides which numbers are present. */
const bankAccountDetails = object('BankAccountDetails', {
  accountNumber: optional(
    string({ pattern: '[0-9]{6,12}', sensitive: true, example: '12345678' }),
    'The account number, in the United Kingdom and in the United States.',
  ),
  accountType: optional(oneOf('BankAccountType', 'checking', 'savings'), 'In the United States.'),
  formFactor: required(formFactor, 'Whether there is something to hold.'),
  iban: optional(string({ max: 34, format: 'iban', sensitive: true, example: 'NL13TEST0123456789' }), 'The IBAN.'),
  routingNumber: optional(string({ pattern: '[0-9]{9}', example: '000000013' }), 'In the United States.'),
  sortCode: optional(string({ pattern: '[0-9]{6}', example: '000001' }), 'In the United Kingdom.'),
  type: required(oneOf('BankAccountIdentification', 'iban', 'ukLocal', 'usLocal'), 'Which numbers there are.'),
});

const comment = optional(shapes.text(300, 'Left in a taxi'), 'More about the reason; mandatory for the reason other.');
const reason = optional(statusReason, 'Why the status is what it is.');

const cardOrAccount = {
  options: [['card'], ['bankAccount']],
  exclusive: true,
  problem: 'missingField',
  doc: 'Exactly one of card and bankAccount.',
} as const;

const paymentInstrument = object(
  'PaymentInstrument',
  {
    balanceAccountId: required(shapes.accountId, 'The balance account that it is used with.'),
    bankAccount: optional(bankAccountDetails, 'The bank account, where it is one.'),
    card: optional(card, 'The card, where it is one.'),
    description: shapes.description,
    id: required(shapes.instrumentId, 'Identifies the payment instrument.'),
    issuingCountryCode: required(shapes.country, 'The country of issue.'),
    paymentInstrumentGroupId: optional(shapes.groupId, 'The group that it belongs to.'),
    reference: shapes.reference,
    replacedById: optional(shapes.instrumentId, 'The payment instrument that takes its place.'),
    replacementOfId: optional(shapes.instrumentId, 'The payment instrument whose place it takes.'),
    status: required(instrumentStatus, 'The status.'),
    statusComment: comment,
    statusReason: reason,
    type: required(instrumentType, 'What it is.'),
  },
  { choices: [cardOrAccount] },
);

export type PaymentInstrument = Infer<typeof paymentInstrument>;

const answer = object(
  'PaymentInstrument',
  { ...paymentInstrument.fields, eTag: shapes.eTag },
  { choices: paymentInstrument.choices },
);
const updated = object('UpdatePaymentInstrument', answer.fields, { choices: paymentInstrument.choices });
const id = shapes.idInPath(shapes.instrumentId, 'payment instrument');

export const createPaymentInstrument = operation({
  name: 'createPaymentInstrument',
  http: { method: 'POST', path: '/paymentInstruments' },
  doc: 'Creates a card or a bank account for a balance account, or one that takes the place of another.',
  effect: 'writes',
  role: roles.write,
  problems: [
    platformProblems.resourceNotFound,
    platformProblems.platformNotActive,
    platformProblems.holderNotActive,
    platformProblems.accountHolderClosed,
    platformProblems.accountNotActive,
    platformProblems.accountClosed,
    platformProblems.alreadyReplaced,
  ],
  input: object(
    'PaymentInstrumentInfo',
    {
      balanceAccountId: required(shapes.accountId, 'The balance account that it is to be used with; an active one.'),
      bankAccount: optional(bankAccountInfo, 'The bank account; only for one.'),
      card: optional(cardInfo, 'The card; mandatory for one.'),
      description: shapes.description,
      issuingCountryCode: required(
        shapes.country,
        'The country of issue, ISO 3166-1. Bank accounts are created in BE, CZ, DE, DK, ES, FR, GB, HU, IE, IT, NL, NO, PL, SE and US.',
      ),
      paymentInstrumentGroupId: optional(shapes.groupId, 'The group that it is to belong to.'),
      reference: shapes.reference,
      replacementOfId: optional(
        shapes.instrumentId,
        'The payment instrument whose place it takes: that one is closed as soon as this one is active.',
      ),
      status: optional(
        instrumentStatus,
        'The first status; without it, a physical card of the United States is inactive, and all else is active.',
      ),
      statusComment: comment,
      statusReason: reason,
      type: required(instrumentType, 'What it is to be.'),
    },
    { choices: [{ ...cardOrAccount, orNone: true, doc: 'Not both of card and bankAccount.' }] },
  ),
  output: answer,
});

export const getPaymentInstrument = operation({
  name: 'getPaymentInstrument',
  http: { method: 'GET', path: '/paymentInstruments/{id}' },
  doc: 'Returns a payment instrument.',
  effect: 'reads',
  role: roles.read,
  problems: [platformProblems.resourceNotFound],
  input: object('GetPaymentInstrument', { id }),
  output: answer,
});

export const updatePaymentInstrument = operation({
  name: 'updatePaymentInstrument',
  http: { method: 'PATCH', path: '/paymentInstruments/{id}' },
  doc: 'Updates, activates or suspends a payment instrument. Fields that the request leaves out do not change.',
  effect: 'writes',
  role: roles.write,
  transitions: instrumentTransitions,
  problems: [
    platformProblems.resourceNotFound,
    platformProblems.changedMeanwhile,
    platformProblems.illegalMove,
    platformProblems.instrumentNotMovable,
    platformProblems.instrumentInUse,
    platformProblems.holderNotActive,
    platformProblems.accountHolderClosed,
    platformProblems.accountNotActive,
    platformProblems.accountClosed,
    platformProblems.finallyClosed,
  ],
  input: object('PaymentInstrumentUpdateRequest', {
    id,
    ifMatch: shapes.ifMatch,
    sameId: readOnlyId(shapes.instrumentId),
    balanceAccountId: optional(shapes.accountId, 'Another balance account; only while it is inactive.'),
    bankAccount: readOnly(paymentInstrument.fields.bankAccount),
    card: optional(cardUpdate, 'The card; only while it is inactive. Its brand, variant and form stay as they are.'),
    description: readOnly(paymentInstrument.fields.description),
    issuingCountryCode: readOnly(paymentInstrument.fields.issuingCountryCode),
    paymentInstrumentGroupId: readOnly(paymentInstrument.fields.paymentInstrumentGroupId),
    reference: readOnly(paymentInstrument.fields.reference),
    replacedById: readOnly(paymentInstrument.fields.replacedById),
    replacementOfId: readOnly(paymentInstrument.fields.replacementOfId),
    status: optional(instrumentStatus, 'The status to move to.'),
    statusComment: comment,
    statusReason: reason,
    type: readOnly(paymentInstrument.fields.type),
  }),
  output: updated,
});

export const cancelPaymentInstrument = operation({
  name: 'cancelPaymentInstrument',
  http: { method: 'POST', path: '/paymentInstruments/{id}/cancel' },
  doc: 'Closes a payment instrument for good. The request needs no body.',
  effect: 'writes',
  role: roles.write,
  problems: [platformProblems.resourceNotFound, platformProblems.changedMeanwhile, platformProblems.finallyClosed],
  input: object('PaymentInstrumentCancelRequest', {
    id,
    ifMatch: shapes.ifMatch,
    statusComment: comment,
    statusReason: reason,
  }),
  output: updated,
});

export const listPaymentInstruments = operation({
  name: 'listPaymentInstruments',
  http: { method: 'GET', path: '/balanceAccounts/{id}/paymentInstruments' },
  doc: 'Lists the payment instruments of a balance account, oldest first.',
  effect: 'reads',
  role: roles.read,
  problems: [platformProblems.resourceNotFound],
  input: object('ListPaymentInstruments', {
    id: shapes.idInPath(shapes.accountId, 'balance account'),
    ...shapes.paging,
    status: optional(instrumentStatus, 'Only those with this status.', { in: 'query' }),
  }),
  output: object('PaginatedPaymentInstrumentsResponse', {
    paymentInstruments: required(
      list(paymentInstrument, 'PaymentInstrument', { max: shapes.limitMax }),
      'The payment instruments.',
    ),
    ...shapes.pages,
  }),
});

export const operations = [
  createPaymentInstrument,
  getPaymentInstrument,
  updatePaymentInstrument,
  cancelPaymentInstrument,
  listPaymentInstruments,
] as const;
