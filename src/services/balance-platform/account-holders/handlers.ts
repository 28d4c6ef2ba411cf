/** Creates, returns, updates and lists account holders (specification, section 4). */

import type { Input } from '../../../contract/operation.ts';
import { Problem, throwIssues } from '../../../contract/problem.ts';
import type { Handler } from '../../../gateway/handler.ts';
import { withEvents } from '../events.ts';
import { invalid } from '../field-issues.ts';
import { checkTransition } from '../lifecycle.ts';
import { readPage } from '../list.ts';
import { platformProblems } from '../problems.ts';
import { requireActivePlatform } from '../require-active.ts';
import type { StoredResource } from '../resource.ts';
import { change, checkIfMatch, create, emptyToUndefined, eTagOf, omitUndefined } from '../save-resource.ts';
import { ResourceReader, type ResourceRepository } from '../store/repository.ts';
import { findForTenant, requireTenantPlatform } from '../tenancy.ts';
import type { BalancePlatformOperations as Operations } from '../v2.ts';
import { grantCapabilities } from './capabilities.ts';

export const createAccountHolder = withEvents<Operations['createAccountHolder']>(
  async ({ input, caller }, resources, { ids }) => {
    const platform = await requireTenantPlatform(caller, resources, input.balancePlatform);
    requireActivePlatform(platform);
    const record = {
      ...input,
      balancePlatform: platform.id,
      capabilities: grantCapabilities(input.capabilities, undefined),
      id: ids.prefixedId('AH'),
      metadata: emptyToUndefined(input.metadata),
      status: 'active',
      timeZone: input.timeZone ?? platform.timeZone,
    } as const;
    return toResponse(await create({ kind: 'accountHolder', platform: platform.id, record }, resources));
  },
);

export const getAccountHolder: Handler<Operations['getAccountHolder']> = async ({ input, caller }, tx) =>
  toResponse(await findForTenant('accountHolder', input.id, caller, tx.repository(ResourceReader)));

export const updateAccountHolder = withEvents<Operations['updateAccountHolder']>(
  async ({ input, caller }, resources) => {
    const { id, ifMatch, balancePlatform, capabilities, metadata, ...changes } = input;
    const before = await findForTenant('accountHolder', id, caller, resources);
    checkIfMatch(ifMatch, before);
    await requireTenantPlatform(caller, resources, balancePlatform);
    checkTransition('accountHolder', before.record.status, changes.status);
    await checkAccounts(before, input, resources);
    const after = await change(
      before,
      {
        ...omitUndefined(changes),
        capabilities: grantCapabilities(capabilities, before.record.capabilities),
        metadata: emptyToUndefined(metadata ?? before.record.metadata),
      },
      resources,
    );
    return toResponse(after);
  },
);

export const listAccountHolders: Handler<Operations['listAccountHolders']> = async ({ input, caller }, tx) => {
  const resources = tx.repository(ResourceReader);
  const { id: platform } = await requireTenantPlatform(caller, resources, input.id);
  const children = { kind: 'accountHolder', platform, parent: platform } as const;
  const { items, hasNext, hasPrevious } = await readPage(children, input, resources);
  return { accountHolders: items.map(({ record }) => record), hasNext, hasPrevious };
};

function toResponse(holder: StoredResource<'accountHolder'>) {
  return { ...holder.record, eTag: eTagOf(holder) };
}

/** Closing requires closed balance accounts; the primary account must belong to the holder and not be closed. */
async function checkAccounts(
  { platform, record }: StoredResource<'accountHolder'>,
  { status, primaryBalanceAccount }: Input<Operations['updateAccountHolder']>,
  resources: ResourceRepository,
): Promise<void> {
  const accounts = { kind: 'balanceAccount', platform, parent: record.id } as const;
  if (status === 'closed' && (await resources.findOpen(accounts)) !== undefined)
    throw new Problem(platformProblems.holderInUse);
  if (primaryBalanceAccount === undefined) return;
  const account = await resources.findResource('balanceAccount', platform, primaryBalanceAccount);
  if (account?.record.accountHolderId !== record.id || account.record.status === 'closed')
    throwIssues([invalid(['primaryBalanceAccount'])]);
}
