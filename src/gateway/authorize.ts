/** Assembly: what was decoded becomes the canonical request, checked and authorised; or everything that is wrong with it. */
import type { Caller, CanonicalRequest } from '../contract/canonical.ts';
import type { Operation } from '../contract/operation.ts';
import { Problem, throwIssues } from '../contract/problem.ts';
import type { Decoded } from '../formats/protocol.ts';
import { keyMissing } from '../idempotency/idempotency-key.ts';

/** What goes along with the input. */
export type Named = Pick<CanonicalRequest, 'pspReference' | 'key'>;

/** The role comes first, then the fields, then the merchant account: nobody learns more than they may ask. */
export const authorize = (
  decoded: Decoded,
  caller: Caller,
  { pspReference, key }: Named,
): CanonicalRequest<Operation> => {
  const { operation, issues } = decoded;
  if (!caller.roles.has(operation.role)) throw new Problem('notAllowed');
  if (key === undefined && caller.requiresKey && operation.effect === 'writes') throw keyMissing();
  throwIssues(issues);
  const input = decoded.input as CanonicalRequest<Operation>['input'];
  for (const field of operation.accounts)
    if (!caller.merchantAccounts.has(String(input[field]))) throw new Problem('foreignMerchantAccount');
  return Object.freeze({ operation, input, caller, pspReference, key });
};
