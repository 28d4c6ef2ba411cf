/** The callers of a mock: it accepts every credential, and none. */
import type { Caller } from '../../contract/canonical.ts';
import type { Service } from '../../contract/service.ts';
import type { Authenticator } from '../../gateway/authenticate.ts';

/** Has any value. */
class AnyValue extends Set<string> {
  override has(): boolean {
    return true;
  }
}

/** All callers are one, which may use every operation: state and Idempotency-Keys are shared by all. */
export function everyCaller(services: readonly Service[]): Authenticator {
  const grants = services.flatMap(({ operations }) => [...operations.values()].flatMap((each) => each.grants));
  const caller: Caller = Object.freeze({
    credential: 'everyone',
    tenant: 'mock',
    requiresKey: false,
    roles: new Set(services.flatMap(({ roles }) => roles)),
    grants: new Map(grants.map(({ grant }) => [grant.name, new AnyValue()])),
  });
  const authenticate = async () => caller;
  return Object.freeze<Authenticator>({ authenticate, requireCredential: authenticate });
}
