/** What may grow: below a platform, an account holder or a balance account that is not active nothing comes to be or to work. */
import { Problem } from '../../contract/problem.ts';
import { platformProblems } from './problems.ts';
import type { Platform, StoredResource } from './resource.ts';
import type { ResourceReader } from './store/repository.ts';

export const requireActivePlatform = ({ status }: Platform): void => {
  if (status !== 'Active') throw new Problem(platformProblems.platformNotActive);
};

export const requireActiveHolder = ({ record: { status } }: StoredResource<'accountHolder'>): void => {
  if (status === 'closed') throw new Problem(platformProblems.accountHolderClosed);
  if (status !== 'active') throw new Problem(platformProblems.holderNotActive);
};

/** The account and, above it, its holder. */
export const requireActiveAccount = async (
  { platform, record: { status, accountHolderId } }: StoredResource<'balanceAccount'>,
  resources: ResourceReader,
): Promise<void> => {
  if (status === 'closed') throw new Problem(platformProblems.accountClosed);
  if (status !== 'active') throw new Problem(platformProblems.accountNotActive);
  requireActiveHolder(await parentOf('accountHolder', platform, accountHolderId, resources));
};

/** What the store keeps a reference to, is there. */
export const parentOf = async <K extends 'accountHolder' | 'balanceAccount'>(
  kind: K,
  platform: string,
  id: string,
  resources: ResourceReader,
): Promise<StoredResource<K>> => {
  const parent = await resources.findResource(kind, platform, id);
  if (parent === undefined) throw new Error(`${kind} is gone from under what belongs to it`);
  return parent;
};
