/** The response of an updater about a card: the body of an HTTP response, or a row of a response file. */

import { type Infer, object, oneOf, optional, required } from '../../../contract/schema.ts';
import { recurringProblems } from '../problems.ts';
import * as schemas from '../schemas.ts';

const { number, expiryMonth, expiryYear } = schemas.card.fields;
const invalid = { invalid: recurringProblems.invalidExpiry } as const;

const fields = {
  newExpiryMonth: optional(expiryMonth.schema, 'The new expiry month, with a renewed or replaced card.', invalid),
  newExpiryYear: optional(expiryYear.schema, 'The new expiry year, with a renewed or replaced card.', invalid),
  newNumber: optional(number.schema, 'The new card number, with a replaced card.', {
    invalid: recurringProblems.invalidCardNumber,
  }),
  result: required(
    oneOf(
      'UpdateResult',
      'NoChange',
      'CardExpiryChanged',
      'PANChanged',
      'CloseAccount',
      'ContactCardAccountHolder',
      'Success',
      'Error',
    ),
    'What has become of the card; Success where the outcome comes later.',
  ),
} as const;

export const updaterResponse = object('UpdaterResponse', fields);

export type UpdaterResponse = Infer<typeof updaterResponse>;

export const responseRow = object('ResponseRow', {
  check: required(schemas.text(16, '8815252013129012'), 'Identifies the check, as in the request file.'),
  merchantAccount: required(schemas.account, 'As in the request file.', {
    missing: recurringProblems.invalidMerchantAccount,
    invalid: recurringProblems.invalidMerchantAccount,
  }),
  ...fields,
});

export type ResponseRow = Infer<typeof responseRow>;
