/** What an updater's answer means for a card, or a Problem where it contradicts itself. */

import { type Issue, issue, Problem, throwIssues } from '../../../contract/problem.ts';
import type { Vault } from '../../../vault/ports.ts';
import { cardIdentity, plainMonth } from '../instrument.ts';
import { recurringProblems } from '../problems.ts';
import type { AccountUpdateOutcome, CheckedCard } from './updater.ts';
import type { UpdateAnswer } from './updater-response.ts';

const newsFields = ['newExpiryMonth', 'newExpiryYear', 'newNumber'] as const;
type NewsField = (typeof newsFields)[number];

const expiryFields: readonly NewsField[] = ['newExpiryMonth', 'newExpiryYear'];

/** What each result comes with: all of it, and nothing else. */
const newsOf: Readonly<Record<UpdateAnswer['result'], readonly NewsField[]>> = Object.freeze({
  NoChange: [],
  CardExpiryChanged: expiryFields,
  PANChanged: newsFields,
  CloseAccount: [],
  ContactCardAccountHolder: [],
  Success: [],
  Error: [],
});

const contradictions = (answer: UpdateAnswer): readonly Issue[] => {
  const news = newsOf[answer.result];
  return newsFields.flatMap((name) => {
    if (news.includes(name) === (answer[name] !== undefined)) return [];
    return issue([name], news.includes(name) ? 'missingField' : 'invalidField', name);
  });
};

/** Throws a Problem for news that the result has none of, or lacks, and for a new card that is the old one. */
export const parseUpdaterResponse = (
  answer: UpdateAnswer,
  { company, fingerprint }: Pick<CheckedCard, 'company' | 'fingerprint'>,
  vault: Vault,
): AccountUpdateOutcome => {
  throwIssues(contradictions(answer));
  const { result, newNumber = '', newExpiryMonth = '', newExpiryYear = '' } = answer;
  const expiry = { expiryMonth: plainMonth(newExpiryMonth), expiryYear: newExpiryYear };
  switch (result) {
    case 'NoChange':
      return { kind: 'unchanged' };
    case 'CardExpiryChanged':
      return { kind: 'renewed', expiry };
    case 'PANChanged':
      if (vault.fingerprint(company, cardIdentity(newNumber)) === fingerprint)
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
};
