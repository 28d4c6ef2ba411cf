/** Whose it is: every resource is looked for under the caller's own platform, so that another's is no other than none. */
import type { Caller } from '../../contract/canonical.ts';
import { Problem } from '../../contract/problem.ts';
import type { Platform, ResourceKind, StoredResource } from './resource.ts';
import type { ResourceReader } from './store/repository.ts';

/** Throws notAllowed for a caller that acts for no platform. */
export const platformOf = ({ balancePlatform }: Caller): string => {
  if (balancePlatform === undefined) throw new Problem('notAllowed');
  return balancePlatform;
};

/** Throws resourceNotFound where a platform is named that is not the caller's own. */
export const requireTenantPlatform = async (
  caller: Caller,
  resources: ResourceReader,
  named: string | undefined,
): Promise<Platform> => {
  const id = platformOf(caller);
  const platform = await resources.findPlatform(named ?? id);
  if (platform === undefined || platform.id !== id) throw new Problem('resourceNotFound');
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
  if (found === undefined) throw new Problem('resourceNotFound');
  return found;
};
