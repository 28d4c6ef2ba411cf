/** Nothing may be created or activated under an inactive platform, account holder or balance account. */
import { Problem } from '../../core/contract/index.ts';
import type { AccountHolder } from './account-holders/contract.ts';
import { accountHolders } from './account-holders/kind.ts';
import type { BalanceAccount } from './balance-accounts/contract.ts';
import type { Platform } from './balance-platforms/contract.ts';
import { platformProblems } from './problems.ts';
import type { ResourceKind, ResourceRecord, StoredResource } from './resource.ts';
import type { ResourceReader } from './store/repository.ts';

export function requireActivePlatform({ status }: Platform): void {
  if (status !== 'Active') throw new Problem(platformProblems.platformNotActive);
}

export function requireActiveHolder({ record: { status } }: StoredResource<AccountHolder>): void {
  if (status === 'closed') throw new Problem(platformProblems.accountHolderClosed);
  if (status !== 'active') throw new Problem(platformProblems.holderNotActive);
}

/** Checks the account and its holder. */
export async function requireActiveAccount(
  { platform, record: { status, accountHolderId } }: StoredResource<BalanceAccount>,
  resources: ResourceReader,
): Promise<void> {
  if (status === 'closed') throw new Problem(platformProblems.accountClosed);
  if (status !== 'active') throw new Problem(platformProblems.accountNotActive);
  requireActiveHolder(await findParent(accountHolders, platform, accountHolderId, resources));
}

/** Finds a resource that a stored resource names: it exists. */
export async function findParent<R extends ResourceRecord>(
  kind: ResourceKind<R>,
  platform: string,
  id: string,
  resources: ResourceReader,
): Promise<StoredResource<R>> {
  const parent = await resources.findResource(kind, platform, id);
  if (parent === undefined) throw new Error(`the ${kind.name} of a stored resource is missing`);
  return parent;
}
