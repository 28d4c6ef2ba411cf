/** The operations of the Recurring service in its newest version (specification, sections 2 and 4). */
import { boolean, dateTime, object, oneOf, operation, optional, required } from '../../core/contract/index.ts';
import { ignoredMembers } from './ignored-members.ts';
import { createPermit, disablePermit } from './permits/contract.ts';
import { recurringProblems } from './problems.ts';
import { roles } from './roles.ts';
import * as shapes from './schemas.ts';
import { notifyShopper } from './shopper-notifications/contract.ts';

export const listRecurringDetails = operation({
  name: 'listRecurringDetails',
  doc: 'Returns the active stored details of a shopper, oldest first.',
  effect: 'reads',
  role: roles.list,
  problems: [],
  input: object(
    'RecurringDetailsRequest',
    {
      merchantAccount: shapes.merchantAccount,
      recurring: optional(shapes.recurring, 'The contract to retrieve; a combination is found by either of its parts.'),
      shopperReference: shapes.shopperReference,
    },
    { ignoredMembers: ignoredMembers.RecurringDetailsRequest },
  ),
  output: object(
    'RecurringDetailsResult',
    {
      creationDate: optional(dateTime(shapes.someDay), 'When the recurring details were created.'),
      details: optional(shapes.recurringDetails, 'The details; absent when there is none for the contract named.'),
      invalidOneclickContracts: optional(
        boolean(false),
        'Whether a detail can no longer be used with one click.',
        shapes.unknownToV12,
      ),
      lastKnownShopperEmail: optional(shapes.email, "The shopper's most recent e-mail."),
      shopperReference: optional(shapes.reference, 'The shopper.'),
    },
    { whenEmpty: ['details'] },
  ),
});

export const disable = operation({
  name: 'disable',
  doc: 'Disables one stored detail, or the whole contract of a shopper.',
  effect: 'writes',
  role: roles.disable,
  problems: [recurringProblems.contractNotFound, recurringProblems.detailNotFound],
  input: object(
    'DisableRequest',
    {
      contract: optional(
        shapes.someContractTypes,
        'Restricts disabling to ONECLICK, RECURRING, PAYOUT or a combination.',
        {
          invalid: recurringProblems.invalidContract,
        },
      ),
      merchantAccount: shapes.merchantAccount,
      recurringDetailReference: optional(
        shapes.detailReference,
        'One detail; when it is omitted, the whole recurring contract of the shopper.',
        { invalid: recurringProblems.detailNotFound },
      ),
      shopperReference: shapes.shopperReference,
    },
    { ignoredMembers: ignoredMembers.DisableRequest },
  ),
  output: object('DisableResult', {
    response: required(
      oneOf('DisableResponse', '[detail-successfully-disabled]', '[all-details-successfully-disabled]'),
      'What was disabled.',
    ),
  }),
});

export const storeToken = operation({
  name: 'storeToken',
  doc: 'Stores a card or a bank account for a shopper. The same one again updates the detail and keeps its reference.',
  effect: 'writes',
  role: roles.store,
  problems: [recurringProblems.unknownVariant, recurringProblems.tooManyDetails],
  input: object(
    'StoreTokenRequest',
    {
      additionalData: optional(shapes.additionalData, 'Entries stored and returned with the detail.'),
      bank: optional(shapes.bankAccount, 'The bank account to store.'),
      billingAddress: optional(shapes.address, 'The billing address.'),
      card: optional(shapes.card, 'The card to store.'),
      elv: optional(shapes.elv, 'The account of a German direct debit to store.'),
      merchantAccount: shapes.merchantAccount,
      name: optional(shapes.detailName, 'A descriptive name of the detail.'),
      recurring: required(shapes.agreedRecurring, 'What the detail may be used for.', {
        missing: recurringProblems.invalidRecurringContract,
      }),
      selectedBrand: shapes.givenVariant,
      shopperEmail: shapes.shopperEmail,
      shopperName: optional(shapes.name, "The shopper's name."),
      shopperReference: shapes.shopperReference,
      socialSecurityNumber: shapes.socialSecurityNumber,
    },
    {
      ignoredMembers: ignoredMembers.StoreTokenRequest,
      choices: [
        {
          options: [['card'], ['bank'], ['elv']],
          exclusive: true,
          problem: recurringProblems.missingPaymentDetails,
          doc: 'Exactly one of card, bank and elv.',
        },
      ],
    },
  ),
  output: object('StoreTokenResult', {
    alias: optional(shapes.text(80, 'H167852639363479'), 'Alias of the card number; only for a card.'),
    aliasType: optional(shapes.text(40, 'Default'), 'Type of the alias; only for a card.'),
    pspReference: required(shapes.text(16, '8815252013129012'), 'The reference of this request.'),
    rechargeReference: optional(
      shapes.text(16, '8815252013129012'),
      'The reference of this request again: storing details charges nothing.',
      shapes.unknownToV12,
    ),
    recurringDetailReference: required(shapes.detailReference, 'Identifies the stored detail.'),
    result: required(shapes.text(80, 'Success'), 'Success.'),
  }),
});

const tokenLookup = operation({
  name: 'tokenLookup',
  doc: 'Returns the shoppers of a merchant account with a card or a bank account: 100 at a time, oldest first.',
  effect: 'reads',
  role: roles.lookup,
  problems: [],
  input: object(
    'TokenLookupRequest',
    {
      additionalData: optional(
        shapes.additionalData,
        '`cursor`: that of the response before, for the shoppers that follow. Other entries are ignored.',
      ),
      bank: optional(shapes.bankAccount, 'The bank account to look for.'),
      card: optional(shapes.card, 'The card to look for; its number alone decides.'),
      elv: optional(shapes.elv, 'The account of a German direct debit to look for.'),
      merchantAccount: shapes.merchantAccount,
    },
    {
      ignoredMembers: ignoredMembers.TokenLookupRequest,
      choices: [
        {
          options: [['card'], ['bank'], ['elv']],
          exclusive: true,
          problem: recurringProblems.missingPaymentDetails,
          doc: 'Exactly one of card, bank and elv.',
        },
      ],
    },
  ),
  output: object('TokenLookupResult', {
    additionalData: optional(shapes.additionalData, '`cursor`: present where more shoppers follow.'),
    pspReference: required(shapes.text(16, '8815252013129012'), 'The reference of this request.'),
    tokens: optional(shapes.tokens, 'The shoppers; absent where no shopper has it.'),
  }),
});

export const scheduleAccountUpdater = operation({
  name: 'scheduleAccountUpdater',
  doc: 'Checks whether a card was replaced, renewed or closed, and updates the stored details.',
  effect: 'writes',
  role: roles.update,
  problems: [],
  input: object(
    'ScheduleAccountUpdaterRequest',
    {
      additionalData: optional(shapes.additionalData, 'Ignored.'),
      card: optional(shapes.cardToUpdate, 'The card to check, whether it is stored or not.'),
      // As in version 12, where no other request requires it.
      merchantAccount: { ...shapes.merchantAccount, mandatoryInStubs: true },
      reference: required(shapes.reference, "The merchant's own reference of the call.", {
        missing: recurringProblems.missingReference,
      }),
      selectedRecurringDetailReference: optional(shapes.detailReference, 'The stored detail to check.'),
      shopperReference: optional(shapes.reference, 'The shopper to whom the detail belongs.'),
    },
    {
      ignoredMembers: ignoredMembers.ScheduleAccountUpdaterRequest,
      choices: [
        {
          options: [['card'], ['shopperReference', 'selectedRecurringDetailReference']],
          exclusive: false,
          problem: recurringProblems.missingCardToUpdate,
          doc: 'A card, or shopperReference with selectedRecurringDetailReference; with both, the detail must hold the card.',
        },
      ],
    },
  ),
  output: object('ScheduleAccountUpdaterResult', {
    pspReference: required(shapes.text(16, '8815252013129012'), 'The reference of this request.'),
    result: required(
      // The specification leaves the list open, so that stubs must not close it.
      shapes.text(80, 'CardExpiryChanged'),
      'NoChange, CardExpiryChanged, PANChanged, CloseAccount or ContactCardAccountHolder; Success where the outcome comes later, Error where the card cannot be checked.',
    ),
  }),
});

/** The operations by name, for handlers that the compiler counts. */
export const recurringOperations = {
  createPermit,
  disable,
  disablePermit,
  listRecurringDetails,
  notifyShopper,
  scheduleAccountUpdater,
  storeToken,
  tokenLookup,
} as const;

export type RecurringOperations = typeof recurringOperations;
