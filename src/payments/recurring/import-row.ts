/** A row of an import: one stored detail of one shopper, from another installation or another provider. */

import { dateTime, type Infer, object, optional, required } from '../../core/contract/index.ts';
import { recurringProblems } from './problems.ts';
import * as schemas from './schemas.ts';

// Security codes must not be stored: a row with this column is refused.
const { cvc: _neverStored, ...cardFields } = schemas.card.fields;

export const importRow = object(
  'ImportRow',
  {
    acquirer: optional(schemas.text(80, 'TestPmmAcquirer'), 'The acquirer of the first payment.'),
    acquirerAccount: optional(schemas.text(80, 'TestPmmAcquirerAccount'), 'The account at the acquirer.'),
    additionalData: optional(schemas.additionalData, 'Entries stored and returned with the detail.'),
    bank: optional(schemas.bankAccount, 'The bank account.'),
    billingAddress: optional(schemas.address, 'The billing address.'),
    card: optional(object('Card', cardFields, { namespace: 'payment' }), 'The card, with its full number.'),
    contracts: required(schemas.contractTypes, 'ONECLICK, RECURRING, PAYOUT or a comma-separated combination.', {
      missing: recurringProblems.invalidRecurringContract,
      invalid: recurringProblems.invalidRecurringContract,
    }),
    creationDate: optional(dateTime(schemas.someDay), 'When the detail was created; the time of the import otherwise.'),
    elv: optional(schemas.elv, 'The account of a German direct debit.'),
    firstPspReference: optional(
      schemas.text(16, '8815252013129012'),
      'The pspReference of the payment that created the detail; a new one otherwise.',
    ),
    merchantAccount: schemas.merchantAccount,
    name: optional(schemas.detailName, 'A descriptive name.'),
    paymentMethodVariant: optional(schemas.text(80, 'visacredit'), 'The sub-brand, such as visacredit.'),
    recurringDetailReference: optional(schemas.detailReference, 'Identifies the detail; a new one otherwise.'),
    shopperEmail: schemas.shopperEmail,
    shopperName: optional(schemas.name, 'The name of the shopper.'),
    shopperReference: schemas.shopperReference,
    socialSecurityNumber: schemas.socialSecurityNumber,
    tokenDetails: optional(schemas.tokenDetails, 'The token of a wallet.'),
    variant: schemas.givenVariant,
  },
  {
    choices: [
      {
        options: [['card'], ['bank'], ['elv'], ['tokenDetails']],
        exclusive: true,
        problem: recurringProblems.missingPaymentDetails,
        doc: 'Exactly one of card, bank, elv and tokenDetails.',
      },
    ],
  },
);

export type ImportRow = Infer<typeof importRow>;
