/** Operations that only older versions have: three of version 1, two of version 12. Their types are those of the next version. */
import { object, operation, optional, required, string } from '../../../core/contract/index.ts';
import { disable, storeToken } from '../contract.ts';
import { ignoredMembers } from '../ignored-members.ts';
import { recurringProblems } from '../problems.ts';
import { roles } from '../roles.ts';
import * as shapes from '../schemas.ts';

const elements = { request: 'recurringRequest', result: 'recurringResult' } as const;

const recurringRequest = (use: string) =>
  object(
    'RecurringRequest',
    {
      amount: optional(shapes.amount, use),
      merchantAccount: shapes.merchantAccount,
      originalReference: optional(shapes.text(256, '8815252013129012'), use),
      recurringReference: optional(
        shapes.detailReference,
        'One detail; when it is omitted, the whole recurring contract of the shopper.',
        { invalid: recurringProblems.detailNotFound },
      ),
      reference: optional(shapes.text(256, 'A reference'), use),
      shopperEmail: optional(shapes.email, use),
      shopperReference: shapes.shopperReference,
    },
    { ignoredMembers: ignoredMembers.RecurringRequest },
  );

const recurringResult = object('RecurringResult', {
  pspReference: required(shapes.text(16, '8815252013129012'), 'The reference of this request.'),
  response: required(shapes.text(80, '[detail-successfully-disabled]'), 'What was done.'),
});

export const deactivateRecurring = operation({
  name: 'deactivateRecurring',
  doc: 'Disables one stored detail, or all of a shopper, as `disable` does. `LATEST` names the detail that was stored last. Of version 1.',
  effect: 'writes',
  role: roles.disable,
  problems: disable.problems,
  input: recurringRequest('Ignored.'),
  output: recurringResult,
  elements,
});

const refused = [recurringProblems.noPaymentService] as const;
const unused = recurringRequest('Not used.');

export const initialiseRecurring = operation({
  name: 'initialiseRecurring',
  doc: 'Refused with 422: it begins a recurring contract by a payment, and no payment service is connected. Of version 1.',
  effect: 'writes',
  role: roles.store,
  problems: refused,
  input: unused,
  output: recurringResult,
  elements,
});

export const submitRecurring = operation({
  name: 'submitRecurring',
  doc: 'Refused with 422: it submits a payment, and no payment service is connected. Of version 1.',
  effect: 'writes',
  role: roles.store,
  problems: refused,
  input: unused,
  output: recurringResult,
  elements,
});

export const prepareStoreToken = operation({
  name: 'prepareStoreToken',
  doc: 'Refused with 422: it prepares the redirect of a shopper to a payment service, and none is connected. Of versions 2 to 12.',
  effect: 'writes',
  role: roles.store,
  problems: refused,
  input: storeToken.input,
  output: storeToken.output,
});

/** The one type of alias that there is. */
export const aliasType = 'Default';

export const storeAlias = operation({
  name: 'storeAlias',
  doc: 'Returns the alias that a card has where it is stored. Stores nothing: the alias of a card is the same every time. Of versions 2 to 12.',
  effect: 'reads',
  role: roles.store,
  problems: [],
  input: object(
    'StoreAliasRequest',
    {
      additionalData: optional(shapes.additionalData, 'Ignored.'),
      aliasType: required(string({ pattern: aliasType, example: aliasType }), 'Default.', { mandatoryInStubs: true }),
      card: required(shapes.card, 'The card.', { missing: recurringProblems.missingPaymentDetails }),
    },
    { ignoredMembers: ignoredMembers.StoreAliasRequest },
  ),
  output: object('StoreAliasResult', {
    alias: required(shapes.text(80, 'H167852639363479'), 'Alias of the card number.'),
    aliasType: required(shapes.text(40, aliasType), 'Type of the alias.'),
  }),
});

/** By name, for handlers that the compiler counts. */
export const olderOperations = {
  deactivateRecurring,
  initialiseRecurring,
  prepareStoreToken,
  storeAlias,
  submitRecurring,
} as const;

export type OlderOperations = typeof olderOperations;
