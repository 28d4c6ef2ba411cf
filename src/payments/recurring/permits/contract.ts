/** createPermit and disablePermit: tokens by which a partner may pay with a stored detail. */
import {
  boolean,
  dateTime,
  list,
  object,
  oneOf,
  operation,
  optional,
  problems,
  required,
} from '../../../core/contract/index.ts';
import { ignoredMembers } from '../ignored-members.ts';
import { recurringProblems } from '../problems.ts';
import { roles } from '../roles.ts';
import * as shapes from '../schemas.ts';

const resultKey = shapes.text(80, 'permit-1');
const permitToken = shapes.text(80, '9915003646742627');
const pspReference = required(shapes.text(16, '8815252013129012'), 'The reference of this request.');

const restriction = object('PermitRestriction', {
  maxAmount: optional(shapes.amount, 'The most that all payments with the permit may amount to.'),
  singleTransactionLimit: optional(shapes.amount, 'The most that one payment with the permit may amount to.'),
  singleUse: optional(boolean(true), 'Whether the permit is for one payment only.'),
});

export const permit = object(
  'Permit',
  {
    partnerId: optional(shapes.text(256, 'partner-1'), 'The partner who may pay.'),
    profileReference: optional(shapes.text(256, 'profile-1'), 'The profile that applies to the permit.'),
    restriction: optional(restriction, 'What payments with the permit may be.'),
    resultKey: optional(resultKey, 'Names the permit in the response.'),
    validTillDate: optional(
      dateTime(Date.UTC(2030, 11, 31)),
      'The moment at which the permit ends; in the future. By default it ends with the detail.',
    ),
  },
  {
    choices: [
      {
        options: [['resultKey'], ['partnerId'], ['profileReference'], ['restriction'], ['validTillDate']],
        exclusive: false,
        problem: problems.missingField,
        doc: 'At least one member.',
      },
    ],
  },
);

const permitResult = object('PermitResult', {
  resultKey: optional(resultKey, 'The name of the permit in the request.'),
  token: required(permitToken, 'Identifies the permit.'),
});

/** The most permits of one request. */
const permitsMax = 100;

export const createPermit = operation({
  name: 'createPermit',
  doc: 'Creates permits for a stored detail, all or none. They are stored; no partner and no payment service is told.',
  effect: 'writes',
  role: roles.permit,
  problems: [recurringProblems.detailNotFound],
  input: object(
    'CreatePermitRequest',
    {
      merchantAccount: shapes.merchantAccount,
      permits: required(list(permit, 'Permit', { max: permitsMax }), 'The permits to create.'),
      recurringDetailReference: required(shapes.detailReference, 'The stored detail.', {
        invalid: recurringProblems.detailNotFound,
      }),
      shopperReference: shapes.shopperReference,
    },
    { ignoredMembers: ignoredMembers.CreatePermitRequest },
  ),
  output: object('CreatePermitResult', {
    permitResultList: required(
      list(permitResult, 'PermitResult', { max: permitsMax }),
      'The permits, in the order of the request.',
    ),
    pspReference,
  }),
});

export const disablePermit = operation({
  name: 'disablePermit',
  doc: 'Disables a permit. One that has ended, by its date or with its detail, is not found.',
  effect: 'writes',
  role: roles.permit,
  problems: [recurringProblems.permitNotFound],
  input: object(
    'DisablePermitRequest',
    {
      merchantAccount: shapes.merchantAccount,
      token: required(permitToken, 'The permit.'),
    },
    { ignoredMembers: ignoredMembers.DisablePermitRequest },
  ),
  output: object('DisablePermitResult', {
    pspReference,
    status: required(oneOf('DisablePermitStatus', 'disabled'), 'disabled.'),
  }),
});
