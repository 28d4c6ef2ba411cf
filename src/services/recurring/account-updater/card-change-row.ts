/** A row of announced card changes: what an issuer says has become of a card. */
import { type Infer, object, oneOf, optional, required } from '../../../contract/schema.ts';
import { recurringProblems } from '../problems.ts';
import * as shapes from '../schemas.ts';

const { number, expiryMonth, expiryYear } = shapes.card.fields;
const invalid = { invalid: recurringProblems.invalidExpiry } as const;

export const cardChangeRow = object(
  'CardChangeRow',
  {
    merchantAccount: required(
      shapes.account,
      'A merchant account of the company whose cards are meant; the change holds for all of its accounts.',
      { missing: recurringProblems.invalidMerchantAccount, invalid: recurringProblems.invalidMerchantAccount },
    ),
    newExpiryMonth: optional(expiryMonth.schema, 'The month in which the card expires from now on.', invalid),
    newExpiryYear: optional(expiryYear.schema, 'The year in which the card expires from now on.', invalid),
    newNumber: optional(number.schema, 'The number of the card that took its place.', {
      invalid: recurringProblems.invalidCardNumber,
    }),
    number: required(number.schema, 'The card number that the change is about, digits only.', {
      missing: recurringProblems.invalidCardNumber,
      invalid: recurringProblems.invalidCardNumber,
    }),
    status: optional(
      oneOf('CardStatus', 'closed', 'contactCardholder', 'unchanged'),
      'What else is known of the card; unchanged takes an earlier announcement back.',
    ),
  },
  {
    choices: [
      {
        options: [['newExpiryMonth', 'newExpiryYear'], ['status']],
        exclusive: true,
        problem: recurringProblems.invalidExpiry,
        doc: 'A new expiry, with a new number where there is one; or a status.',
      },
    ],
  },
);

export type CardChangeRow = Infer<typeof cardChangeRow>;
