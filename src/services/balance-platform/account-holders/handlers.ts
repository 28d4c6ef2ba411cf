/** Account holders: created, shown, changed and listed (specification, section 4). */

import type { Input } from '../../../contract/operation.ts';
import { Problem, throwIssues } from '../../../contract/problem.ts';
import type { Handler } from '../../../gateway/handler.ts';
import { withEvents } from '../events.ts';
import { invalid } from '../field-issues.ts';
import { checkTransition } from '../lifecycle.ts';
import { pageOf } from '../list.ts';
import { platformProblems } from '../problems.ts';
import { requireActivePlatform } from '../require-active.ts';
import type { StoredResource } from '../resource.ts';
import { change, checkIfMatch, create, entries, eTagOf, omitUndefined } from '../save-resource.ts';
import { ResourceReader, type ResourceRepository } from '../store/repository.ts';
import { findForTenant, requireTenantPlatform } from '../tenancy.ts';
import type { BalancePlatformOperations } from '../v2.ts';
import { grantCapabilities } from './capabilities.ts';

type Operations = BalancePlatformOperations;

const shown = (kept: StoredResource<'accountHolder'>) => ({ ...kept.record, eTag: eTagOf(kept) });

export const createAccountHolder = withEvents<Operations['createAccountHolder']>(
  async ({ input, caller }, resources, { ids: references }) => {
    const platform = await requireTenantPlatform(caller, resources, input.balancePlatform);
    requireActivePlatform(platform);
    const record = {
      ...input,
      balancePlatform: platform.id,
      capabilities: grantCapabilities(input.capabilities, undefined),
      id: references.resourceId('AH'),
      metadata: entries(input.metadata),
      status: 'active',
      timeZone: input.timeZone ?? platform.timeZone,
    } as const;
    return shown(await create({ kind: 'accountHolder', platform: platform.id, record }, resources));
  },
);

export const getAccountHolder: Handler<Operations['getAccountHolder']> = async ({ input, caller }, tx) =>
  shown(await findForTenant('accountHolder', input.id, caller, tx.repository(ResourceReader)));

type Changes = Input<Operations['updateAccountHolder']>;

/** Closing waits for the balance accounts, and the primary one is one of its own that is not closed. */
const checkAccounts = async (
  { platform, record }: StoredResource<'accountHolder'>,
  { status, primaryBalanceAccount }: Changes,
  resources: ResourceRepository,
): Promise<void> => {
  const accounts = { kind: 'balanceAccount', platform, parent: record.id } as const;
  if (status === 'closed' && (await resources.findOpen(accounts)) !== undefined)
    throw new Problem(platformProblems.holderInUse);
  if (primaryBalanceAccount === undefined) return;
  const account = await resources.findResource('balanceAccount', platform, primaryBalanceAccount);
  if (account?.record.accountHolderId !== record.id || account.record.status === 'closed')
    throwIssues([invalid(['primaryBalanceAccount'])]);
};

export const updateAccountHolder = withEvents<Operations['updateAccountHolder']>(
  async ({ input, caller }, resources) => {
    const { id, ifMatch, balancePlatform, capabilities, metadata, ...changes } = input;
    const before = await findForTenant('accountHolder', id, caller, resources);
    checkIfMatch(ifMatch, before);
    await requireTenantPlatform(caller, resources, balancePlatform);
    checkTransition('accountHolder', before.record.status, changes.status);
    await checkAccounts(before, input, resources);
    const kept = await change(
      before,
      {
        ...omitUndefined(changes),
        capabilities: grantCapabilities(capabilities, before.record.capabilities),
        metadata: entries(metadata ?? before.record.metadata),
      },
      resources,
    );
    return shown(kept);
  },
);

export const listAccountHolders: Handler<Operations['listAccountHolders']> = async ({ input, caller }, tx) => {
  const { id: platform } = await requireTenantPlatform(caller, tx.repository(ResourceReader), input.id);
  const { items, hasNext, hasPrevious } = await pageOf(
    { kind: 'accountHolder', platform, parent: platform },
    input,
    tx.repository(ResourceReader),
  );
  return { accountHolders: items.map(({ record }) => record), hasNext, hasPrevious };
};
