/** The account holder: its records and the operations on it. */

import {
  type Infer,
  list,
  mapOf,
  object,
  oneOf,
  operation,
  optional,
  required,
  type Transitions,
} from '../../../core/contract/index.ts';
import { ignoredMembers } from '../ignored-members.ts';
import { platformProblems } from '../problems.ts';
import { readOnly, readOnlyId } from '../read-only.ts';
import { roles } from '../roles.ts';
import * as shapes from '../schemas.ts';

const holderStatus = oneOf('AccountHolderStatus', 'active', 'closed', 'suspended');

/** Those of an account holder. */
export const holderTransitions: Transitions<Infer<typeof holderStatus>> = {
  active: {
    suspended: 'Blocks it for a time: nothing is created or activated below it.',
    closed: 'Ends it for good. Its balance accounts must be closed.',
  },
  suspended: {
    active: 'Ends the block.',
    closed: 'Ends it for good. Its balance accounts must be closed.',
  },
  closed: {},
};

const level = oneOf('CapabilityLevel', 'high', 'medium', 'low', 'notApplicable');

const askedFields = {
  enabled: optional(
    shapes.yesOrNo,
    'Whether the capability may be used once it is allowed; true where it is left out.',
  ),
  requested: optional(shapes.yesOrNo, 'Whether the capability is asked for.'),
  requestedLevel: optional(level, 'The level that is asked for; notApplicable where it is left out.'),
} as const;

export const askedCapability = object('AccountHolderCapability', askedFields, {
  ignoredMembers: ignoredMembers.AccountHolderCapability,
});

/** Verification succeeds at once: a requested capability is allowed. */
export const capability = object('AccountHolderCapability', {
  allowed: required(shapes.yesOrNo, 'Whether the account holder may use it.'),
  allowedLevel: required(level, 'The level that is allowed.'),
  enabled: required(shapes.yesOrNo, 'Whether it is switched on.'),
  requested: required(shapes.yesOrNo, 'Whether it was asked for.'),
  requestedLevel: required(level, 'The level that was asked for.'),
  verificationStatus: required(
    oneOf('VerificationStatus', 'valid', 'pending', 'invalid', 'rejected'),
    'How far verification is; it succeeds at once here.',
  ),
});

const capabilities = optional(
  mapOf(askedCapability, 60, 'issueCard'),
  'What the account holder is to be able to do, by the name of the capability. An update changes those that it names.',
);
const contactDetails = optional(shapes.contactDetails, 'How to reach the account holder.');
const timeZone = shapes.timeZone("the balance platform's");
const balancePlatform = optional(
  shapes.platformId,
  'The balance platform that it belongs to; the only one that a credential can name is its own.',
);

export const accountHolder = object('AccountHolder', {
  balancePlatform: required(shapes.platformId, 'The balance platform that it belongs to.'),
  capabilities: optional(mapOf(capability, 60, 'issueCard'), 'What it can do, by the name of the capability.'),
  contactDetails,
  description: shapes.description,
  id: required(shapes.holderId, 'Identifies the account holder.'),
  legalEntityId: required(shapes.legalEntityId, 'The legal entity that it represents.'),
  metadata: shapes.metadata,
  primaryBalanceAccount: optional(shapes.accountId, 'The balance account that money goes to first.'),
  reference: shapes.reference,
  status: required(holderStatus, 'The status.'),
  timeZone: required(timeZone.schema, timeZone.doc),
});

export type AccountHolder = Infer<typeof accountHolder>;

const answer = object('AccountHolder', { ...accountHolder.fields, eTag: shapes.eTag });
const id = shapes.idInPath(shapes.holderId, 'account holder');

export const createAccountHolder = operation({
  name: 'createAccountHolder',
  http: { method: 'POST', path: '/accountHolders' },
  doc: 'Creates an account holder.',
  effect: 'writes',
  role: roles.write,
  problems: [platformProblems.resourceNotFound, platformProblems.platformNotActive],
  input: object(
    'AccountHolderInfo',
    {
      balancePlatform,
      capabilities,
      contactDetails,
      description: shapes.description,
      legalEntityId: required(shapes.legalEntityId, 'The legal entity that the account holder represents.'),
      metadata: shapes.metadata,
      reference: shapes.reference,
      status: readOnly(accountHolder.fields.status),
      timeZone,
    },
    { ignoredMembers: ignoredMembers.AccountHolder },
  ),
  output: answer,
});

export const getAccountHolder = operation({
  name: 'getAccountHolder',
  http: { method: 'GET', path: '/accountHolders/{id}' },
  doc: 'Returns an account holder.',
  effect: 'reads',
  role: roles.read,
  problems: [platformProblems.resourceNotFound],
  input: object('GetAccountHolder', { id }),
  output: answer,
});

export const updateAccountHolder = operation({
  name: 'updateAccountHolder',
  http: { method: 'PATCH', path: '/accountHolders/{id}' },
  doc: 'Updates an account holder. Fields that the request leaves out do not change.',
  effect: 'writes',
  role: roles.write,
  transitions: holderTransitions,
  problems: [
    platformProblems.resourceNotFound,
    platformProblems.changedMeanwhile,
    platformProblems.holderInUse,
    platformProblems.finallyClosed,
  ],
  input: object(
    'AccountHolderUpdateRequest',
    {
      id,
      ifMatch: shapes.ifMatch,
      sameId: readOnlyId(shapes.holderId),
      balancePlatform,
      capabilities,
      contactDetails,
      description: shapes.changedDescription,
      legalEntityId: readOnly(accountHolder.fields.legalEntityId),
      metadata: shapes.metadata,
      primaryBalanceAccount: optional(shapes.accountId, 'One of its balance accounts that is not closed.'),
      reference: shapes.reference,
      status: optional(holderStatus, 'The status to move to.'),
      timeZone,
    },
    { ignoredMembers: ignoredMembers.AccountHolderUpdateRequest },
  ),
  output: answer,
});

export const listAccountHolders = operation({
  name: 'listAccountHolders',
  http: { method: 'GET', path: '/balancePlatforms/{id}/accountHolders' },
  doc: 'Lists the account holders of a balance platform, oldest first.',
  effect: 'reads',
  role: roles.read,
  problems: [platformProblems.resourceNotFound],
  input: object('ListAccountHolders', {
    id: shapes.idInPath(shapes.platformId, 'balance platform'),
    ...shapes.paging,
  }),
  output: object('PaginatedAccountHoldersResponse', {
    accountHolders: required(list(accountHolder, 'AccountHolder', { max: shapes.limitMax }), 'The account holders.'),
    ...shapes.pages,
  }),
});

export const operations = [createAccountHolder, getAccountHolder, updateAccountHolder, listAccountHolders] as const;
