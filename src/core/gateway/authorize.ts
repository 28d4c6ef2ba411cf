/** Makes the canonical request of what was decoded, or throws everything that is wrong with it. */
import {
  type AnyCaller,
  type AnyRequest,
  adviceAt,
  type Caller,
  type CanonicalRequest,
  issue,
  type Operation,
  Problem,
  throwIssues,
} from '../contract/index.ts';
import type { Decoded } from '../formats/index.ts';
import { keyMissing } from '../idempotency/index.ts';
import type { CurrentOperation } from './compose.ts';

/** What goes along with the input. */
type Named = Pick<CanonicalRequest, 'requestReference' | 'key' | 'head'>;

/**
 * Where another server knows the rights of the caller, it decides, and only the fields are checked here.
 *
 * Checks the role first, then the fields, then the grants: a refusal says no more than its caller may ask.
 * Issues are those of the caller's own version; only an input without issues can be upgraded.
 */
export function authorize(
  decoded: Decoded,
  { service, operation, roles, upgrade }: Omit<CurrentOperation<never>, 'executor'>,
  caller: AnyCaller,
  { requestReference, key, head }: Named,
): AnyRequest {
  const rights = 'rights' in caller ? undefined : caller;
  if (rights !== undefined && !mayUse(rights, operation, roles)) {
    const advice = `this credential may not call ${operation.name}: ask the operator of this service to allow it`;
    throw new Problem('notAllowed', undefined, adviceAt('Authorization', advice));
  }
  if (key === undefined && caller.requiresKey && operation.effect === 'writes') throw keyMissing();
  throwIssues(decoded.issues);
  const input = (upgrade === undefined ? decoded.input : upgrade(decoded.input)) as CanonicalRequest['input'];
  if (rights !== undefined) checkGrants(operation, input, rights);
  return Object.freeze({ service, operation, input, caller, requestReference, key, ...(head && { head }) });
}

function mayUse(caller: Caller, { effect }: Operation, roles: readonly string[]): boolean {
  if (caller.readOnly && effect === 'writes') return false;
  return roles.some((role) => caller.roles.has(role));
}

function checkGrants({ grants }: Operation, input: CanonicalRequest['input'], caller: Caller): void {
  for (const { field, grant } of grants)
    if (caller.grants.get(grant.name)?.has(String(input[field])) !== true) {
      const rule = `send a ${grant.name} for which this credential acts, or ask the operator of this service to add it`;
      throw Problem.of([{ ...issue([field], grant.refusal), rule }]);
    }
}
