/** Tenant isolation: resources are looked up under the caller's platform, so another tenant's resource is a 404. */
import { type Caller, Problem } from '../../core/contract/index.ts';
import type { Platform } from './balance-platforms/contract.ts';
import { platformProblems } from './problems.ts';
import type { ResourceKind, ResourceRecord, StoredResource } from './resource.ts';
import type { ResourceReader } from './store/repository.ts';

/** The grant that holds the one balance platform that a credential acts for. */
export const platformGrant = 'balancePlatform';

/** Throws notAllowed for a caller that acts for no platform. */
export function platformOf({ grants }: Caller): string {
  const [platform] = grants.get(platformGrant) ?? [];
  if (platform === undefined) throw new Problem('notAllowed');
  return platform;
}

/** Throws resourceNotFound for a named platform that is not the caller's own. */
export async function requireTenantPlatform(
  caller: Caller,
  resources: ResourceReader,
  named: string | undefined,
): Promise<Platform> {
  const id = platformOf(caller);
  const platform = await resources.findPlatform(named ?? id);
  if (platform === undefined || platform.id !== id) throw new Problem(platformProblems.resourceNotFound);
  return platform;
}

/** Throws resourceNotFound for an unknown resource and for one of another platform alike. */
export async function findForTenant<R extends ResourceRecord>(
  kind: ResourceKind<R>,
  id: string,
  caller: Caller,
  resources: ResourceReader,
): Promise<StoredResource<R>> {
  const found = await resources.findResource(kind, platformOf(caller), id);
  if (found === undefined) throw new Problem(platformProblems.resourceNotFound);
  return found;
}
