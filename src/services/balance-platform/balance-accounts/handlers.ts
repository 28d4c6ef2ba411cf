/** Balance accounts: created, shown, changed and listed (specification, section 4). */

import type { Input } from '../../../contract/operation.ts';
import { Problem } from '../../../contract/problem.ts';
import type { Handler } from '../../../gateway/handler.ts';
import { withEvents } from '../events.ts';
import { checkTransition } from '../lifecycle.ts';
import { pageOf } from '../list.ts';
import { platformProblems } from '../problems.ts';
import { parentOf, requireActiveHolder, requireActivePlatform } from '../require-active.ts';
import type { StoredResource } from '../resource.ts';
import { change, checkIfMatch, create, entries, eTagOf, omitUndefined } from '../save-resource.ts';
import { ResourceReader, type ResourceRepository } from '../store/repository.ts';
import { findForTenant, requireTenantPlatform } from '../tenancy.ts';
import type { BalancePlatformOperations } from '../v2.ts';

type Operations = BalancePlatformOperations;
type Account = StoredResource<'balanceAccount'>;

const usualCurrency = 'EUR';

const shown = (kept: Account) => ({ ...kept.record, eTag: eTagOf(kept) });

/** The primary account of a holder is one of its own that is not closed: the oldest, where it was another. */
const settlePrimary = async (platform: string, holderId: string, resources: ResourceRepository): Promise<void> => {
  const holder = await parentOf('accountHolder', platform, holderId, resources);
  const { primaryBalanceAccount } = holder.record;
  if (primaryBalanceAccount !== undefined) {
    const account = await parentOf('balanceAccount', platform, primaryBalanceAccount, resources);
    if (account.record.accountHolderId === holderId && account.record.status !== 'closed') return;
  }
  const oldest = await resources.findOpen({ kind: 'balanceAccount', platform, parent: holderId });
  await change(holder, { primaryBalanceAccount: oldest }, resources);
};

export const createBalanceAccount = withEvents<Operations['createBalanceAccount']>(
  async ({ input, caller }, resources, { ids: references }) => {
    const platform = await requireTenantPlatform(caller, resources, undefined);
    requireActivePlatform(platform);
    const holder = await findForTenant('accountHolder', input.accountHolderId, caller, resources);
    requireActiveHolder(holder);
    const currency = input.defaultCurrencyCode ?? usualCurrency;
    const record = {
      ...input,
      balances: [{ available: 0, balance: 0, currency, reserved: 0 }],
      defaultCurrencyCode: currency,
      id: references.resourceId('BA'),
      metadata: entries(input.metadata),
      status: 'active',
      timeZone: input.timeZone ?? holder.record.timeZone,
    } as const;
    const kept = await create({ kind: 'balanceAccount', platform: platform.id, record }, resources);
    await settlePrimary(platform.id, holder.record.id, resources);
    return shown(kept);
  },
);

export const getBalanceAccount: Handler<Operations['getBalanceAccount']> = async ({ input, caller }, tx) =>
  shown(await findForTenant('balanceAccount', input.id, caller, tx.repository(ResourceReader)));

/** Closing waits for the payment instruments and the money; moving and activating want an active holder. */
const checkChange = async (
  { platform, record }: Account,
  { status = record.status, accountHolderId }: Input<Operations['updateBalanceAccount']>,
  holder: StoredResource<'accountHolder'>,
  resources: ResourceRepository,
): Promise<void> => {
  checkTransition('balanceAccount', record.status, status);
  const moves = accountHolderId !== undefined && accountHolderId !== record.accountHolderId;
  if (moves || (status === 'active' && record.status !== 'active')) requireActiveHolder(holder);
  if (status !== 'closed') return;
  const instruments = { kind: 'paymentInstrument', platform, parent: record.id } as const;
  if ((await resources.findOpen(instruments)) !== undefined) throw new Problem(platformProblems.accountInUse);
  if (record.balances.some(({ balance }) => balance !== 0)) throw new Problem(platformProblems.accountNotEmpty);
};

export const updateBalanceAccount = withEvents<Operations['updateBalanceAccount']>(
  async ({ input, caller }, resources) => {
    const { id, ifMatch, metadata, platformPaymentConfiguration, ...changes } = input;
    const before = await findForTenant('balanceAccount', id, caller, resources);
    checkIfMatch(ifMatch, before);
    const holder = await findForTenant(
      'accountHolder',
      input.accountHolderId ?? before.record.accountHolderId,
      caller,
      resources,
    );
    await checkChange(before, input, holder, resources);
    const { platform, record } = before;
    const configuration = { ...record.platformPaymentConfiguration, ...platformPaymentConfiguration };
    const kept = await change(
      before,
      {
        ...omitUndefined(changes),
        metadata: entries(metadata ?? record.metadata),
        platformPaymentConfiguration: Object.keys(configuration).length === 0 ? undefined : configuration,
      },
      resources,
    );
    for (const holderId of new Set([record.accountHolderId, kept.record.accountHolderId]))
      await settlePrimary(platform, holderId, resources);
    return shown(kept);
  },
);

export const listBalanceAccounts: Handler<Operations['listBalanceAccounts']> = async ({ input, caller }, tx) => {
  const { platform, record } = await findForTenant('accountHolder', input.id, caller, tx.repository(ResourceReader));
  const { items, hasNext, hasPrevious } = await pageOf(
    { kind: 'balanceAccount', platform, parent: record.id },
    input,
    tx.repository(ResourceReader),
  );
  const balanceAccounts = items.map(({ record: { balances: _, ...base } }) => base);
  return { balanceAccounts, hasNext, hasPrevious };
};
