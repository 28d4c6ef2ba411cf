/** What an updater outside tells of a card: in the body of an answer, or in a row of a file of answers. */
import { type Infer, object, oneOf, optional, required } from '../../../contract/schema.ts';
import { recurringProblems } from '../problems.ts';
import * as shapes from '../schemas.ts';

const { number, expiryMonth, expiryYear } = shapes.card.fields;
const invalid = { invalid: recurringProblems.invalidExpiry } as const;

const told = {
  newExpiryMonth: optional(
    expiryMonth.schema,
    'With a renewed or replaced card: the month in which it expires.',
    invalid,
  ),
  newExpiryYear: optional(expiryYear.schema, 'With a renewed or replaced card: the year in which it expires.', invalid),
  newNumber: optional(number.schema, 'With a replaced card: the number of the one that took its place.', {
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
    'What has become of the card; Success where it will be known later.',
  ),
} as const;

export const updateAnswer = object('UpdateAnswer', told);

export type UpdateAnswer = Infer<typeof updateAnswer>;

export const answerRow = object('AnswerRow', {
  check: required(shapes.text(16, '8815252013129012'), 'Which check it answers, as the request file named it.'),
  merchantAccount: required(shapes.account, 'As it stood beside the check.', {
    missing: recurringProblems.invalidMerchantAccount,
    invalid: recurringProblems.invalidMerchantAccount,
  }),
  ...told,
});

export type AnswerRow = Infer<typeof answerRow>;
