/** Makes the canonical request of what was decoded, or throws everything that is wrong with it. */
import type { Caller, CanonicalRequest } from '../contract/canonical.ts';
import { Problem, throwIssues } from '../contract/problem.ts';
import type { Decoded } from '../formats/protocol.ts';
import { keyMissing } from '../idempotency/idempotency-key.ts';
import type { CurrentOperation } from './implement.ts';

/** What goes along with the input. */
export type Named = Pick<CanonicalRequest, 'requestReference' | 'key' | 'head'>;

/**
 * Checks the role first, then the fields, then the grants: a refusal says no more than its caller may ask.
 * Issues are those of the caller's own version; only an input without issues can be upgraded.
 */
export function authorize(
  decoded: Decoded,
  { service, operation, upgrade }: CurrentOperation,
  caller: Caller,
  { requestReference, key, head }: Named,
): CanonicalRequest {
  if (!caller.roles.has(operation.role)) throw new Problem('notAllowed');
  if (key === undefined && caller.requiresKey && operation.effect === 'writes') throw keyMissing();
  throwIssues(decoded.issues);
  const input = (upgrade === undefined ? decoded.input : upgrade(decoded.input)) as CanonicalRequest['input'];
  for (const { field, grant } of operation.grants)
    if (caller.grants.get(grant.name)?.has(String(input[field])) !== true) throw new Problem(grant.refusal);
  return Object.freeze({ service, operation, input, caller, requestReference, key, ...(head && { head }) });
}
