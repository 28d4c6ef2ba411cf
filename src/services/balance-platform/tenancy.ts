/** Whose it is: every resource is looked for under the caller's own platform, so that another's is no other than none. */
import type { Caller } from '../../contract/canonical.ts';
import { Problem } from '../../contract/problem.ts';
import { platformProblems } from './problems.ts';
import type { Platform, ResourceKind, StoredResource } from './resource.ts';
import type { ResourceReader } from './store/repository.ts';

/** The grant that holds the one balance platform that a credential acts for. */
export const platformGrant = 'balancePlatform';

/** Throws notAllowed for a caller that acts for no platform. */
export const platformOf = ({ grants }: Caller): string => {
  const [platform] = grants.get(platformGrant) ?? [];
  if (platform === undefined) throw new Problem('notAllowed');
  return platform;
};

/** Throws resourceNotFound where a platform is named that is not the caller's own. */
export const requireTenantPlatform = async (
  caller: Caller,
  resources: ResourceReader,
  named: string | undefined,
): Promise<Platform> => {
  const id = platformOf(caller);
  const platform = await resources.findPlatform(named ?? id);
  if (platform === undefined || platform.id !== id) throw new Problem(platformProblems.resourceNotFound);
  return platform;
};

/** Throws resourceNotFound, whether there is none or it is another platform's. */
export const findForTenant = async <K extends ResourceKind>(
  kind: K,
  id: string,
  caller: Caller,
  resources: ResourceReader,
): Promise<StoredResource<K>> => {
  const found = await resources.findResource(kind, platformOf(caller), id);
  if (found === undefined) throw new Problem(platformProblems.resourceNotFound);
  return found;
};
