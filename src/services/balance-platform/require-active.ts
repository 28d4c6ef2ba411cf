/** Nothing may be created or activated under an inactive platform, account holder or balance account. */
import { Problem } from '../../contract/problem.ts';
import { platformProblems } from './problems.ts';
import type { Platform, StoredResource } from './resource.ts';
import type { ResourceReader } from './store/repository.ts';

export function requireActivePlatform({ status }: Platform): void {
  if (status !== 'Active') throw new Problem(platformProblems.platformNotActive);
}

export function requireActiveHolder({ record: { status } }: StoredResource<'accountHolder'>): void {
  if (status === 'closed') throw new Problem(platformProblems.accountHolderClosed);
  if (status !== 'active') throw new Problem(platformProblems.holderNotActive);
}

/** Checks the account and its holder. */
export async function requireActiveAccount(
  { platform, record: { status, accountHolderId } }: StoredResource<'balanceAccount'>,
  resources: ResourceReader,
): Promise<void> {
  if (status === 'closed') throw new Problem(platformProblems.accountClosed);
  if (status !== 'active') throw new Problem(platformProblems.accountNotActive);
  requireActiveHolder(await findParent('accountHolder', platform, accountHolderId, resources));
}

/** Finds a resource that a stored resource names: it exists. */
export async function findParent<K extends 'accountHolder' | 'balanceAccount'>(
  kind: K,
  platform: string,
  id: string,
  resources: ResourceReader,
): Promise<StoredResource<K>> {
  const parent = await resources.findResource(kind, platform, id);
  if (parent === undefined) throw new Error(`the ${kind} of a stored resource is missing`);
  return parent;
}
