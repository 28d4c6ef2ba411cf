/** A row of announced card changes: what an issuer reports about a card. */

import { type Infer, object, oneOf, optional, required } from '../../../core/contract/index.ts';
import { recurringProblems } from '../problems.ts';
import * as schemas from '../schemas.ts';

const { number, expiryMonth, expiryYear } = schemas.card.fields;
const invalid = { invalid: recurringProblems.invalidExpiry } as const;

export const cardChangeRow = object(
  'CardChangeRow',
  {
    merchantAccount: required(
      schemas.account,
      'A merchant account of the company; the change applies to all accounts of that company.',
      { missing: recurringProblems.invalidMerchantAccount, invalid: recurringProblems.invalidMerchantAccount },
    ),
    newExpiryMonth: optional(expiryMonth.schema, 'The new expiry month.', invalid),
    newExpiryYear: optional(expiryYear.schema, 'The new expiry year.', invalid),
    newNumber: optional(number.schema, 'The number of the new card, where the card was replaced.', {
      invalid: recurringProblems.invalidCardNumber,
    }),
    number: required(number.schema, 'The number of the card that changed, digits only.', {
      missing: recurringProblems.invalidCardNumber,
      invalid: recurringProblems.invalidCardNumber,
    }),
    status: optional(
      oneOf('CardStatus', 'closed', 'contactCardholder', 'unchanged'),
      'The status of the card; unchanged withdraws an earlier announcement.',
    ),
  },
  {
    choices: [
      {
        options: [['newExpiryMonth', 'newExpiryYear'], ['status']],
        exclusive: true,
        problem: recurringProblems.invalidExpiry,
        doc: 'A new expiry, with a new number if there is one; or a status.',
      },
    ],
  },
);

export type CardChangeRow = Infer<typeof cardChangeRow>;
