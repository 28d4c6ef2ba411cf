/** Creates, returns, updates and lists balance accounts (specification, section 4). */

import { type Input, Problem, throwIssues } from '../../../core/contract/index.ts';
import { bindHandlers, type Handler } from '../../../stores/index.ts';
import type { AccountHolder } from '../account-holders/contract.ts';
import { accountHolders } from '../account-holders/kind.ts';
import { withEvents } from '../events.ts';
import { readPage } from '../list.ts';
import { paymentInstruments } from '../payment-instruments/kind.ts';
import { platformProblems } from '../problems.ts';
import { readOnlyIssues } from '../read-only.ts';
import { findParent, requireActiveHolder, requireActivePlatform } from '../require-active.ts';
import type { Resource, StoredResource } from '../resource.ts';
import {
  change,
  checkIfMatch,
  checkTransition,
  create,
  emptyToUndefined,
  eTagOf,
  omitUndefined,
} from '../save-resource.ts';
import { ResourceReader, type ResourceRepository } from '../store/repository.ts';
import { findForTenant, requireTenantPlatform } from '../tenancy.ts';
import * as contract from './contract.ts';
import { balanceAccounts } from './kind.ts';

type Account = StoredResource<contract.BalanceAccount>;

const defaultCurrency = 'EUR';

export const createBalanceAccount = withEvents<typeof contract.createBalanceAccount>(
  async ({ input, caller }, resources, { ids }) => {
    const platform = await requireTenantPlatform(caller, resources, undefined);
    requireActivePlatform(platform);
    const holder = await findForTenant(accountHolders, input.accountHolderId, caller, resources);
    requireActiveHolder(holder);
    const currency = input.defaultCurrencyCode ?? defaultCurrency;
    const record = {
      ...input,
      balances: [{ available: 0, balance: 0, currency, pending: 0, pendingAvailable: 0, reserved: 0 }],
      defaultCurrencyCode: currency,
      id: ids.prefixedId('BA'),
      metadata: emptyToUndefined(input.metadata),
      status: 'active',
      timeZone: input.timeZone ?? holder.record.timeZone,
    } as const;
    throwIssues(readOnlyIssues(record, { balances: input.balances, status: input.status }));
    const account = await create({ kind: balanceAccounts, platform: platform.id, record }, resources);
    await updatePrimaryAccount(platform.id, holder.record.id, resources);
    return toResponse(account);
  },
);

export const getBalanceAccount: Handler<typeof contract.getBalanceAccount> = async ({ input, caller }, tx) =>
  toResponse(await findForTenant(balanceAccounts, input.id, caller, tx.repository(ResourceReader)));

export const updateBalanceAccount = withEvents<typeof contract.updateBalanceAccount>(
  async ({ input, caller }, resources) => {
    const { id, ifMatch, sameId, balances, defaultCurrencyCode, metadata, platformPaymentConfiguration, ...changes } =
      input;
    const before = await findForTenant(balanceAccounts, id, caller, resources);
    checkIfMatch(ifMatch, before);
    throwIssues(readOnlyIssues({ ...before.record, sameId: id }, { sameId, balances, defaultCurrencyCode }));
    const holderId = input.accountHolderId ?? before.record.accountHolderId;
    const holder = await findForTenant(accountHolders, holderId, caller, resources);
    await checkChange(before, input, holder, resources);
    const { platform, record } = before;
    const configuration = { ...record.platformPaymentConfiguration, ...platformPaymentConfiguration };
    const after = await change(
      before,
      {
        ...omitUndefined(changes),
        description: emptyToUndefined(changes.description ?? record.description),
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

export const listBalanceAccounts: Handler<typeof contract.listBalanceAccounts> = async ({ input, caller }, tx) => {
  const resources = tx.repository(ResourceReader);
  const { platform, record } = await findForTenant(accountHolders, input.id, caller, resources);
  const children = { kind: balanceAccounts, platform, parent: record.id } as const;
  const { items, hasNext, hasPrevious } = await readPage(children, input, resources);
  const bases = items.map(({ record: { balances: _, ...base } }) => base);
  return { balanceAccounts: bases, hasNext, hasPrevious };
};

function toResponse(account: Account) {
  return { ...account.record, eTag: eTagOf(account) };
}

/** Closing requires closed payment instruments and a zero balance; moving and activating require an active holder. */
async function checkChange(
  account: Account,
  { status = account.record.status, accountHolderId }: Input<typeof contract.updateBalanceAccount>,
  holder: StoredResource<AccountHolder>,
  resources: ResourceRepository,
): Promise<void> {
  const { platform, record } = account;
  checkTransition(account, status);
  const moves = accountHolderId !== undefined && accountHolderId !== record.accountHolderId;
  if (moves || (status === 'active' && record.status !== 'active')) requireActiveHolder(holder);
  if (status !== 'closed') return;
  const instruments = { kind: paymentInstruments, platform, parent: record.id } as const;
  if ((await resources.findOpen(instruments)) !== undefined) throw new Problem(platformProblems.accountInUse);
  if (record.balances.some(({ balance }) => balance !== 0)) throw new Problem(platformProblems.accountNotEmpty);
}

/** Where the primary account was closed or moved, the oldest open account of the holder becomes the primary one. */
async function updatePrimaryAccount(platform: string, holderId: string, resources: ResourceRepository): Promise<void> {
  const holder = await findParent(accountHolders, platform, holderId, resources);
  const { primaryBalanceAccount } = holder.record;
  if (primaryBalanceAccount !== undefined) {
    const account = await findParent(balanceAccounts, platform, primaryBalanceAccount, resources);
    if (account.record.accountHolderId === holderId && account.record.status !== 'closed') return;
  }
  const oldest = await resources.findOpen({ kind: balanceAccounts, platform, parent: holderId });
  await change(holder, { primaryBalanceAccount: oldest }, resources);
}

export const balanceAccountResource = Object.freeze({
  kind: balanceAccounts,
  handlers: bindHandlers(contract.operations, {
    createBalanceAccount,
    getBalanceAccount,
    updateBalanceAccount,
    listBalanceAccounts,
  }),
}) satisfies Resource;
