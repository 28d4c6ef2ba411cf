/** The problems of the balance platform: codes that callers know (30_001 to 30_031), and new ones from 30_201 on. */
import { defineProblems, type Issue, issue, kind } from '../../core/contract/index.ts';

/** 422, with a code and a name of its own in problem details. */
const refused = (code: string, type: string, title: string, message: string, blanks?: readonly string[]) =>
  kind(422, code, 'validation', message, { details: Object.freeze({ type, title }), ...(blanks && { blanks }) });

const invalidValue = 'general/invalid-field-value';
const notAllowedNow = 'validation/not-allowed';

export const platformProblems = defineProblems({
  changedMeanwhile: kind(412, '000', 'validation', 'If-Match names another state of the resource than its present one'),
  resourceNotFound: refused(
    '30_002',
    'not-found',
    'Entity not found',
    'There is no such resource on this balance platform',
  ),
  platformNotActive: refused(
    '30_003',
    notAllowedNow,
    'Balance platform not active',
    'The balance platform is not active',
  ),
  accountNotActive: refused('30_004', notAllowedNow, 'Balance account not active', 'The balance account is not active'),
  accountClosed: refused('30_005', notAllowedNow, 'Balance account closed', 'The balance account is closed'),
  instrumentNotMovable: refused(
    '30_031',
    invalidValue,
    'Invalid Payment Instrument information provided',
    'The balanceAccountId can only be changed when the status is Inactive or Requested',
  ),
  illegalMove: refused('30_201', notAllowedNow, 'Status cannot change', 'The status cannot go from {0} to {1}', [
    'status',
    'status',
  ]),
  holderNotActive: refused('30_202', notAllowedNow, 'Account holder not active', 'The account holder is not active'),
  holderInUse: refused(
    '30_203',
    notAllowedNow,
    'Account holder has balance accounts',
    'An account holder can only be closed when all of its balance accounts are closed',
  ),
  accountInUse: refused(
    '30_204',
    notAllowedNow,
    'Balance account has payment instruments',
    'A balance account can only be closed when all of its payment instruments are closed',
  ),
  accountNotEmpty: refused(
    '30_205',
    notAllowedNow,
    'Balance account not empty',
    'A balance account can only be closed when its balances are zero',
  ),
  instrumentInUse: refused(
    '30_206',
    notAllowedNow,
    'Payment instrument in use',
    'Once a payment instrument was active, only its status can change',
  ),
  alreadyReplaced: refused(
    '30_207',
    notAllowedNow,
    'Payment instrument already replaced',
    'The payment instrument has a replacement already',
  ),
  accountHolderClosed: refused('30_208', notAllowedNow, 'Account holder closed', 'The account holder is closed'),
  finallyClosed: refused('30_209', notAllowedNow, 'Closed for good', 'What is closed cannot be changed any more'),
});

/** The field is present and its value is not allowed. */
export function invalid(path: readonly string[], value?: string): Issue {
  return { ...issue(path, 'invalidField', path.join('.')), ...(value !== undefined && { value }) };
}

export function missing(path: readonly string[]): Issue {
  return issue(path, 'missingField', path.join('.'));
}
