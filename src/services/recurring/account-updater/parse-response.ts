/** Converts an updater's response to an outcome; throws a Problem where the response contradicts itself. */

import { type Issue, issue, Problem, throwIssues } from '../../../contract/problem.ts';
import type { Vault } from '../../../vault/ports.ts';
import { cardIdentity, plainMonth } from '../instrument.ts';
import { recurringProblems } from '../problems.ts';
import type { AccountUpdateOutcome, CheckedCard } from './updater.ts';
import type { UpdaterResponse } from './updater-response.ts';

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
