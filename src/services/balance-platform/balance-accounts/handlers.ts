/** Creates, returns, updates and lists balance accounts (specification, section 4). */

import type { Input } from '../../../contract/operation.ts';
import { Problem } from '../../../contract/problem.ts';
import type { Handler } from '../../../gateway/handler.ts';
import { withEvents } from '../events.ts';
import { checkTransition } from '../lifecycle.ts';
import { readPage } from '../list.ts';
import { platformProblems } from '../problems.ts';
import { findParent, requireActiveHolder, requireActivePlatform } from '../require-active.ts';
import type { StoredResource } from '../resource.ts';
import { change, checkIfMatch, create, emptyToUndefined, eTagOf, omitUndefined } from '../save-resource.ts';
import { ResourceReader, type ResourceRepository } from '../store/repository.ts';
import { findForTenant, requireTenantPlatform } from '../tenancy.ts';
import type { BalancePlatformOperations as Operations } from '../v2.ts';

type Account = StoredResource<'balanceAccount'>;

const defaultCurrency = 'EUR';

export const createBalanceAccount = withEvents<Operations['createBalanceAccount']>(
  async ({ input, caller }, resources, { ids }) => {
    const platform = await requireTenantPlatform(caller, resources, undefined);
    requireActivePlatform(platform);
    const holder = await findForTenant('accountHolder', input.accountHolderId, caller, resources);
    requireActiveHolder(holder);
    const currency = input.defaultCurrencyCode ?? defaultCurrency;
    const record = {
      ...input,
      balances: [{ available: 0, balance: 0, currency, reserved: 0 }],
      defaultCurrencyCode: currency,
      id: ids.prefixedId('BA'),
      metadata: emptyToUndefined(input.metadata),
      status: 'active',
      timeZone: input.timeZone ?? holder.record.timeZone,
    } as const;
    const account = await create({ kind: 'balanceAccount', platform: platform.id, record }, resources);
    await updatePrimaryAccount(platform.id, holder.record.id, resources);
    return toResponse(account);
  },
);

export const getBalanceAccount: Handler<Operations['getBalanceAccount']> = async ({ input, caller }, tx) =>
  toResponse(await findForTenant('balanceAccount', input.id, caller, tx.repository(ResourceReader)));

export const updateBalanceAccount = withEvents<Operations['updateBalanceAccount']>(
  async ({ input, caller }, resources) => {
    const { id, ifMatch, metadata, platformPaymentConfiguration, ...changes } = input;
    const before = await findForTenant('balanceAccount', id, caller, resources);
    checkIfMatch(ifMatch, before);
    const holderId = input.accountHolderId ?? before.record.accountHolderId;
    const holder = await findForTenant('accountHolder', holderId, caller, resources);
    await checkChange(before, input, holder, resources);
    const { platform, record } = before;
    const configuration = { ...record.platformPaymentConfiguration, ...platformPaymentConfiguration };
    const after = await change(
      before,
      {
        ...omitUndefined(changes),
        metadata: emptyToUndefined(metadata ?? record.metadata),
        platformPaymentConfiguration: Object.keys(configuration).length === 0 ? undefined : configuration,
      },
      resources,
    );
    for (const each of new Set([record.accountHolderId, after.record.accountHolderId]))
      await updatePrimaryAccount(platform, each, resources);
    return toResponse(after);
  },
);

export const listBalanceAccounts: Handler<Operations['listBalanceAccounts']> = async ({ input, caller }, tx) => {
  const resources = tx.repository(ResourceReader);
  const { platform, record } = await findForTenant('accountHolder', input.id, caller, resources);
  const children = { kind: 'balanceAccount', platform, parent: record.id } as const;
  const { items, hasNext, hasPrevious } = await readPage(children, input, resources);
  const balanceAccounts = items.map(({ record: { balances: _, ...base } }) => base);
  return { balanceAccounts, hasNext, hasPrevious };
};

function toResponse(account: Account) {
  return { ...account.record, eTag: eTagOf(account) };
}

/** Closing requires closed payment instruments and a zero balance; moving and activating require an active holder. */
async function checkChange(
  { platform, record }: Account,
  { status = record.status, accountHolderId }: Input<Operations['updateBalanceAccount']>,
  holder: StoredResource<'accountHolder'>,
  resources: ResourceRepository,
): Promise<void> {
  checkTransition('balanceAccount', record.status, status);
  const moves = accountHolderId !== undefined && accountHolderId !== record.accountHolderId;
  if (moves || (status === 'active' && record.status !== 'active')) requireActiveHolder(holder);
  if (status !== 'closed') return;
  const instruments = { kind: 'paymentInstrument', platform, parent: record.id } as const;
  if ((await resources.findOpen(instruments)) !== undefined) throw new Problem(platformProblems.accountInUse);
  if (record.balances.some(({ balance }) => balance !== 0)) throw new Problem(platformProblems.accountNotEmpty);
}

/** Where the primary account was closed or moved, the oldest open account of the holder becomes the primary one. */
async function updatePrimaryAccount(platform: string, holderId: string, resources: ResourceRepository): Promise<void> {
  const holder = await findParent('accountHolder', platform, holderId, resources);
  const { primaryBalanceAccount } = holder.record;
  if (primaryBalanceAccount !== undefined) {
    const account = await findParent('balanceAccount', platform, primaryBalanceAccount, resources);
    if (account.record.accountHolderId === holderId && account.record.status !== 'closed') return;
  }
  const oldest = await resources.findOpen({ kind: 'balanceAccount', platform, parent: holderId });
  await change(holder, { primaryBalanceAccount: oldest }, resources);
}
