/** Balance accounts: their model, what clients ask of them, and what is there at first. */
import { balanceAccounts } from '../../src/payments/balance-platform/balance-accounts/kind.ts';
import type { Refusal } from '../simulation/expected.ts';
import type { SimulatedRequest } from '../simulation/request.ts';
import { refusedUnderHolder, updatePrimaryAccount } from './account-holder.ts';
import {
  firstAccountId,
  firstHolderId,
  newIdIn,
  type PlatformModel,
  platformRequest,
  platformResource,
  refused,
  refusedChange,
  type Status,
  secondAccountId,
  secondHolderId,
  timeZone,
} from './platform.ts';
import type { PlatformApi } from './platform-api.ts';
import { addressing, described, describedOwner, describing, otherTimeZone, trackHolder } from './platform-track.ts';
import type { FaultTrack } from './resource.ts';

const defaultCurrencyCode = 'EUR';
const balances = [
  { available: 0, balance: 0, currency: defaultCurrencyCode, pending: 0, pendingAvailable: 0, reserved: 0 },
] as const;

const recordOf = (
  named: { readonly id: string; readonly accountHolderId: string; readonly reference: string },
  status: 'active' | 'inactive' = 'active',
) => ({ ...named, status, timeZone, balances, defaultCurrencyCode });

/** The refusal of a creation or activation with the account; undefined where it is allowed. */
export function refusedUnderAccount(id: string, platform: PlatformModel): Refusal | undefined {
  const { status, accountHolderId } = platform.get(id).record;
  if (status === 'closed') return refused('accountClosed', 'The balance account is closed');
  if (status !== 'active') return refused('accountNotActive', 'The balance account is not active');
  return refusedUnderHolder(accountHolderId!, platform);
}

const create = (accountHolderId: string, reference: string): SimulatedRequest =>
  platformRequest('createBalanceAccount', { accountHolderId, reference }, (platform, execution) => {
    const refusal = refusedUnderHolder(accountHolderId, platform);
    if (refusal !== undefined) return refusal;
    const record = recordOf({ id: newIdIn(execution), accountHolderId, reference });
    const expected = platform.add(balanceAccount.created(record));
    updatePrimaryAccount(accountHolderId, platform);
    return expected;
  });

type Change = { readonly description?: string; readonly status?: Status };

const update = (id: string, changes: Change) =>
  platformRequest('updateBalanceAccount', { id, ...changes }, (platform) => {
    const before = platform.get(id);
    const accountHolderId = before.record.accountHolderId!;
    const isActivated = changes.status === 'active' && before.record.status !== 'active';
    const refusal =
      refusedChange(before, changes.status) ??
      (isActivated ? refusedUnderHolder(accountHolderId, platform) : undefined);
    if (refusal !== undefined) return refusal;
    if (changes.status === 'closed' && platform.oldestOpen(id) !== undefined)
      return refused(
        'accountInUse',
        'A balance account can only be closed when all of its payment instruments are closed',
      );
    const expected = platform.change(id, changes);
    updatePrimaryAccount(accountHolderId, platform);
    return expected;
  });

export const trackCurrency = 'EUR';
const opening = (currency: string, description = described('open')): object => ({
  accountHolderId: trackHolder,
  defaultCurrencyCode: currency,
  ...description,
});

const trackKeys: FaultTrack['keys'] = {
  open: {
    operation: 'createBalanceAccount',
    bodies: {
      right: opening(trackCurrency),
      'other currency': opening('USD'),
      'other time zone': opening(trackCurrency, otherTimeZone('open')),
    },
  },
  label: describing('updateBalanceAccount', 'label'),
  relabel: describing('updateBalanceAccount', 'relabel'),
};

/** Each shopper's account is opened for one holder, described, and perhaps described again. */
const faultTrack: FaultTrack = {
  keys: trackKeys,
  addressing,
  table: 'balance_account',
  columns: ['record'],
  ownerOf(row) {
    const record = JSON.parse(row.record!);
    const isRight = record.defaultCurrencyCode === trackCurrency && record.accountHolderId === trackHolder;
    return isRight ? describedOwner(trackKeys, record) : undefined;
  },
};

const api: Omit<PlatformApi, 'kind'> = {
  path: '/balanceAccounts',
  unknownId: 'BA3227C223222H5J4DCLW9VBV',
  fields: ['balanceAccountId', 'primaryBalanceAccount'],
  writes: {
    createBalanceAccount: (accountHolderId) => ({
      body: { accountHolderId },
      other: { accountHolderId, reference: 'x' },
    }),
    updateBalanceAccount: () => ({ body: { reference: 'one' }, other: { reference: 'two' } }),
  },
  ids: [
    'createBalanceAccount accountHolderId',
    'getBalanceAccount id',
    'updateBalanceAccount accountHolderId',
    'updateBalanceAccount id',
    'listBalanceAccounts id',
  ],
  moves: {
    active: { active: 'stays', inactive: 'moves', suspended: 'moves', closed: 'moves' },
    inactive: { active: 'moves', inactive: 'stays', suspended: 'moves', closed: 'moves' },
    suspended: { active: 'moves', inactive: 'moves', suspended: 'stays', closed: 'moves' },
    closed: { active: '30_209', inactive: '30_209', suspended: '30_209', closed: '30_209' },
  },
  calls: [
    'post /balanceAccounts',
    'get /balanceAccounts/{id}',
    'patch /balanceAccounts/{id}',
    'get /accountHolders/{id}/balanceAccounts',
  ],
};

export const balanceAccount = platformResource({
  faultTrack,
  api,
  kind: balanceAccounts,
  parent: { member: 'accountHolderId' },
  first: [
    recordOf({ id: firstAccountId, accountHolderId: firstHolderId, reference: 'first' }),
    recordOf({ id: secondAccountId, accountHolderId: firstHolderId, reference: 'second' }, 'inactive'),
  ],
  workload: [
    { pool: 'first holder', request: create(firstHolderId, 'one') },
    { pool: 'first holder', request: update(firstAccountId, { description: 'the first', status: 'suspended' }) },
    { pool: 'first holder', request: update(firstAccountId, { status: 'closed' }) },
    { pool: 'first holder', request: update(firstAccountId, { status: 'inactive' }) },
    { pool: 'first holder', request: update(secondAccountId, { status: 'active' }) },
    { pool: 'first holder', request: update(secondAccountId, { status: 'suspended' }) },
    { pool: 'first holder', request: update(secondAccountId, { status: 'closed' }) },
    { pool: 'second holder', request: create(secondHolderId, 'one') },
    { pool: 'second holder', request: create(secondHolderId, 'another') },
  ],
  crashCases: [
    { request: create(secondHolderId, 'one'), otherRequest: create(firstHolderId, 'one'), outcome: 'ok' },
    {
      request: update(secondAccountId, { description: 'the last', status: 'closed' }),
      otherRequest: update(secondAccountId, { description: 'the last' }),
      outcome: 'ok',
    },
    {
      request: update(firstAccountId, { status: 'inactive' }),
      otherRequest: update(firstAccountId, { status: 'active' }),
      outcome: 'ok',
    },
    {
      request: update(firstAccountId, { status: 'closed' }),
      otherRequest: update(firstAccountId, { status: 'suspended' }),
      outcome: 'accountInUse',
    },
  ],
  refusals: ['accountInUse', 'accountNotActive', 'accountClosed'],
  statements: ['find-open-balance_account'],
});
