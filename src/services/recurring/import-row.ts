/** A row of an import: one stored detail of one shopper, as another installation or another provider hands it over. */
import { dateTime, type Infer, object, optional, required } from '../../contract/schema.ts';
import { recurringProblems } from './problems.ts';
import * as shapes from './schemas.ts';

// A security code has no place in a file: naming the column is reason enough to refuse the row.
const { cvc: _never, ...cardFields } = shapes.card.fields;

export const importRow = object(
  'ImportRow',
  {
    acquirer: optional(shapes.text(80, 'TestPmmAcquirer'), 'The acquirer of the first payment.'),
    acquirerAccount: optional(shapes.text(80, 'TestPmmAcquirerAccount'), 'The account at the acquirer.'),
    additionalData: optional(shapes.additionalData, 'Entries kept with the detail and shown with it.'),
    bank: optional(shapes.bankAccount, 'The bank account.'),
    billingAddress: optional(shapes.address, 'The billing address.'),
    card: optional(object('Card', cardFields, { namespace: 'payment' }), 'The card, with its full number.'),
    contracts: required(shapes.contractTypes, 'ONECLICK, RECURRING, PAYOUT or a comma-separated combination.', {
      missing: recurringProblems.invalidRecurringContract,
      invalid: recurringProblems.invalidRecurringContract,
    }),
    creationDate: optional(
      dateTime(shapes.someDay),
      'When the detail was created; the moment of the import otherwise.',
    ),
    elv: optional(shapes.elv, 'The account of a German direct debit.'),
    firstPspReference: optional(
      shapes.text(16, '8815252013129012'),
      'The pspReference of the payment that created the detail; a new one otherwise.',
    ),
    merchantAccount: shapes.merchantAccount,
    name: optional(shapes.detailName, 'A descriptive name.'),
    paymentMethodVariant: optional(shapes.text(80, 'visacredit'), 'The sub-brand, such as visacredit.'),
    recurringDetailReference: optional(shapes.detailReference, 'Identifies the detail; a new one otherwise.'),
    shopperEmail: shapes.shopperEmail,
    shopperName: optional(shapes.name, 'The name of the shopper.'),
    shopperReference: shapes.shopperReference,
    socialSecurityNumber: shapes.socialSecurityNumber,
    tokenDetails: optional(shapes.tokenDetails, 'The token of a wallet.'),
    variant: shapes.givenVariant,
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
