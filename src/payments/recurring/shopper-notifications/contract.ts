/** notifyShopper: announces a payment to the shopper, through the issuer of the card. */
import { object, operation, optional, required, string } from '../../../core/contract/index.ts';
import { ignoredMembers } from '../ignored-members.ts';
import { recurringProblems } from '../problems.ts';
import { roles } from '../roles.ts';
import * as shapes from '../schemas.ts';

const reference = shapes.text(256, 'A reference');
const displayedReference = shapes.text(256, 'Subscription of March');
const token = { invalid: recurringProblems.tokenNotFound } as const;

export const notifyShopper = operation({
  name: 'notifyShopper',
  doc: 'Announces a payment with a stored detail to its shopper. The announcement is stored; no issuer is called.',
  effect: 'writes',
  role: roles.notify,
  problems: [recurringProblems.tokenNotFound],
  input: object(
    'NotifyShopperRequest',
    {
      amount: required(shapes.amount, 'The amount of the payment.'),
      billingDate: optional(
        string({ pattern: '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])', example: '2030-03-16' }),
        'The day of the payment: yyyy-MM-dd.',
        { invalid: recurringProblems.invalidBillingDate },
      ),
      billingSequenceNumber: optional(shapes.text(80, '3'), 'The number of the payment in its series.'),
      displayedReference: optional(displayedReference, 'The reference that the shopper sees; `reference` otherwise.'),
      merchantAccount: shapes.merchantAccount,
      recurringDetailReference: optional(shapes.detailReference, 'The stored detail.', token),
      reference: required(reference, "The merchant's own reference of the announcement.", {
        missing: recurringProblems.missingReference,
      }),
      shopperReference: shapes.shopperReference,
      storedPaymentMethodId: optional(shapes.detailReference, 'The stored detail, by its other name.', token),
    },
    {
      ignoredMembers: ignoredMembers.NotifyShopperRequest,
      choices: [
        {
          options: [['recurringDetailReference'], ['storedPaymentMethodId']],
          exclusive: false,
          problem: recurringProblems.tokenNotFound,
          doc: 'recurringDetailReference or storedPaymentMethodId; with both, they must be equal.',
        },
      ],
    },
  ),
  output: object('NotifyShopperResult', {
    displayedReference: required(displayedReference, 'The reference that the shopper sees.'),
    message: required(shapes.text(200, 'Request Processed Successfully'), 'Describes the result code.'),
    pspReference: required(shapes.text(16, '8815252013129012'), 'The reference of this request.'),
    reference: required(reference, "The merchant's own reference."),
    resultCode: required(shapes.text(80, 'Success'), 'Success.'),
    shopperNotificationReference: required(shapes.text(16, '9915003646742627'), 'Identifies the announcement.'),
    storedPaymentMethodId: required(shapes.detailReference, 'The stored detail.'),
  }),
});
