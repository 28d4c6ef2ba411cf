/** Converts an updater's response to an outcome; throws a Problem where the response contradicts itself. */
import {
  type Infer,
  type Issue,
  issue,
  object,
  oneOf,
  optional,
  Problem,
  required,
  throwIssues,
} from '../../../core/contract/index.ts';
import type { Vault } from '../../../core/vault/index.ts';
import { cardIdentity, plainMonth } from '../instrument.ts';
import { recurringProblems } from '../problems.ts';
import * as schemas from '../schemas.ts';
import type { AccountUpdateOutcome, CheckedCard } from './updater.ts';

const changeFields = ['newExpiryMonth', 'newExpiryYear', 'newNumber'] as const;
type ChangeField = (typeof changeFields)[number];

const expiryFields: readonly ChangeField[] = ['newExpiryMonth', 'newExpiryYear'];

/** The fields that come with each result: all of them, and no others. */
const fieldsByResult: Readonly<Record<UpdaterResponse['result'], readonly ChangeField[]>> = Object.freeze({
  NoChange: [],
  CardExpiryChanged: expiryFields,
  PANChanged: changeFields,
  CloseAccount: [],
  ContactCardAccountHolder: [],
  Success: [],
  Error: [],
});

/** A missing field, a surplus one and a new number that equals the old one are Problems. */
export function parseUpdaterResponse(
  response: UpdaterResponse,
  { company, fingerprint }: Pick<CheckedCard, 'company' | 'fingerprint'>,
  vault: Vault,
): AccountUpdateOutcome {
  throwIssues(fieldIssues(response));
  const { result, newNumber = '', newExpiryMonth = '', newExpiryYear = '' } = response;
  const expiry = { expiryMonth: plainMonth(newExpiryMonth), expiryYear: newExpiryYear };
  switch (result) {
    case 'NoChange':
      return { kind: 'unchanged' };
    case 'CardExpiryChanged':
      return { kind: 'renewed', expiry };
    case 'PANChanged':
      if (vault.fingerprints(company, cardIdentity(newNumber)).includes(fingerprint))
        throw Problem.at(['newNumber'], recurringProblems.invalidCardNumber);
      return { kind: 'replaced', number: newNumber, expiry };
    case 'CloseAccount':
      return { kind: 'closed' };
    case 'ContactCardAccountHolder':
      return { kind: 'contactCardholder' };
    case 'Success':
      return { kind: 'pending' };
    case 'Error':
      return { kind: 'failed' };
    default:
      return result satisfies never;
  }
}

function fieldIssues(response: UpdaterResponse): readonly Issue[] {
  const expected = fieldsByResult[response.result];
  return changeFields.flatMap((name) => {
    if (expected.includes(name) === (response[name] !== undefined)) return [];
    return issue(
      [name],
      expected.includes(name) ? recurringProblems.missingField : recurringProblems.invalidField,
      name,
    );
  });
}

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
