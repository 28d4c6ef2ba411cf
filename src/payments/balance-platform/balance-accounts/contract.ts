/** The balance account: its records and the operations on it. */

import {
  type Infer,
  integer,
  list,
  object,
  oneOf,
  operation,
  optional,
  required,
  string,
  type Transitions,
} from '../../../core/contract/index.ts';
import { ignoredMembers } from '../ignored-members.ts';
import { platformProblems } from '../problems.ts';
import { readOnly, readOnlyId } from '../read-only.ts';
import { roles } from '../roles.ts';
import * as shapes from '../schemas.ts';

const accountStatus = oneOf('BalanceAccountStatus', 'active', 'closed', 'inactive', 'suspended');

/** Those of a balance account. */
export const accountTransitions: Transitions<Infer<typeof accountStatus>> = {
  active: {
    inactive: 'Deactivates it, such as an account that is not in use.',
    suspended: 'Blocks it for a time, such as during an inquiry.',
    closed: 'Ends it for good. Its payment instruments must be closed, and it must hold no money.',
  },
  inactive: {
    active: 'Activates it. Its account holder must be active.',
    suspended: 'Blocks it for a time, such as during an inquiry.',
    closed: 'Ends it for good, as from `active`.',
  },
  suspended: {
    active: 'Activates it again. Its account holder must be active.',
    inactive: 'Ends the block, and leaves it out of use.',
    closed: 'Ends it for good, as from `active`.',
  },
  closed: {},
};

const amount = integer(-999_999_999_999_999, 999_999_999_999_999, 0);

export const balance = object('Balance', {
  available: required(amount, 'What can be spent, in minor units.'),
  balance: required(amount, 'What is there, in minor units.'),
  currency: required(shapes.currency, 'The currency, ISO 4217.'),
  pending: optional(amount, 'What will be settled, in minor units.'),
  pendingAvailable: optional(amount, 'What can be spent once the pending amount is settled, in minor units.'),
  reserved: required(amount, 'What is reserved, in minor units.'),
});

export const platformPaymentConfiguration = object('PlatformPaymentConfiguration', {
  salesDayClosingTime: optional(
    string({ pattern: '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?', example: '22:00' }),
    'When a sales day ends.',
  ),
  settlementDelayDays: optional(integer(0, 999, 1), 'After how many days sales are settled.'),
});

const accountHolderId = shapes.holderId;
const paymentConfiguration = optional(platformPaymentConfiguration, 'When sales are settled.');
const defaultCurrencyCode = optional(
  shapes.currency,
  'The currency, ISO 4217; EUR where it is left out. It never changes.',
);
const timeZone = shapes.timeZone("the account holder's");

/** As a list shows it. Only the response about one account has `balances`. */
const balanceAccountBase = object('BalanceAccountBase', {
  accountHolderId: required(accountHolderId, 'The account holder that it belongs to.'),
  defaultCurrencyCode: required(shapes.currency, 'The currency.'),
  description: shapes.description,
  id: required(shapes.accountId, 'Identifies the balance account.'),
  metadata: shapes.metadata,
  platformPaymentConfiguration: paymentConfiguration,
  reference: shapes.reference,
  status: required(accountStatus, 'The status.'),
  timeZone: required(timeZone.schema, timeZone.doc),
});

const balanceAccount = object('BalanceAccount', {
  ...balanceAccountBase.fields,
  balances: required(list(balance, 'Balance', { max: 200 }), 'The balances, one for each currency.'),
});

export type BalanceAccount = Infer<typeof balanceAccount>;

const answer = object('BalanceAccount', { ...balanceAccount.fields, eTag: shapes.eTag });
const id = shapes.idInPath(shapes.accountId, 'balance account');

export const createBalanceAccount = operation({
  name: 'createBalanceAccount',
  http: { method: 'POST', path: '/balanceAccounts' },
  doc: 'Creates a balance account. The first one of an account holder is its primary one.',
  effect: 'writes',
  role: roles.write,
  problems: [
    platformProblems.resourceNotFound,
    platformProblems.platformNotActive,
    platformProblems.holderNotActive,
    platformProblems.accountHolderClosed,
  ],
  input: object(
    'BalanceAccountInfo',
    {
      accountHolderId: required(accountHolderId, 'The account holder that it is to belong to; an active one.'),
      balances: readOnly(balanceAccount.fields.balances),
      defaultCurrencyCode,
      description: shapes.description,
      metadata: shapes.metadata,
      platformPaymentConfiguration: paymentConfiguration,
      reference: shapes.reference,
      status: readOnly(balanceAccount.fields.status),
      timeZone,
    },
    { ignoredMembers: ignoredMembers.BalanceAccount },
  ),
  output: answer,
});

export const getBalanceAccount = operation({
  name: 'getBalanceAccount',
  http: { method: 'GET', path: '/balanceAccounts/{id}' },
  doc: 'Returns a balance account.',
  effect: 'reads',
  role: roles.read,
  problems: [platformProblems.resourceNotFound],
  input: object('GetBalanceAccount', { id }),
  output: answer,
});

export const updateBalanceAccount = operation({
  name: 'updateBalanceAccount',
  http: { method: 'PATCH', path: '/balanceAccounts/{id}' },
  doc: 'Updates a balance account. Fields that the request leaves out do not change.',
  effect: 'writes',
  role: roles.write,
  transitions: accountTransitions,
  problems: [
    platformProblems.resourceNotFound,
    platformProblems.changedMeanwhile,
    platformProblems.holderNotActive,
    platformProblems.accountHolderClosed,
    platformProblems.accountInUse,
    platformProblems.accountNotEmpty,
    platformProblems.finallyClosed,
  ],
  input: object(
    'BalanceAccountUpdateRequest',
    {
      id,
      ifMatch: shapes.ifMatch,
      sameId: readOnlyId(shapes.accountId),
      accountHolderId: optional(
        accountHolderId,
        'The account holder that it is to belong to from now on; an active one.',
      ),
      balances: readOnly(balanceAccount.fields.balances),
      defaultCurrencyCode: readOnly(balanceAccount.fields.defaultCurrencyCode),
      description: shapes.changedDescription,
      metadata: shapes.metadata,
      platformPaymentConfiguration: paymentConfiguration,
      reference: shapes.reference,
      status: optional(accountStatus, 'The status to move to.'),
      timeZone,
    },
    { ignoredMembers: ignoredMembers.BalanceAccount },
  ),
  output: answer,
});

export const listBalanceAccounts = operation({
  name: 'listBalanceAccounts',
  http: { method: 'GET', path: '/accountHolders/{id}/balanceAccounts' },
  doc: 'Lists the balance accounts of an account holder, oldest first.',
  effect: 'reads',
  role: roles.read,
  problems: [platformProblems.resourceNotFound],
  input: object('ListBalanceAccounts', {
    id: shapes.idInPath(shapes.holderId, 'account holder'),
    ...shapes.paging,
  }),
  output: object('PaginatedBalanceAccountsResponse', {
    balanceAccounts: required(
      list(balanceAccountBase, 'BalanceAccountBase', { max: shapes.limitMax }),
      'The balance accounts.',
    ),
    ...shapes.pages,
  }),
});

export const operations = [createBalanceAccount, getBalanceAccount, updateBalanceAccount, listBalanceAccounts] as const;
