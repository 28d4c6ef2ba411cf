/** Account holders: their model, what clients ask of them, and what is there at first. */
import { accountHolders } from '../../src/payments/balance-platform/account-holders/kind.ts';
import { sealHolder } from '../../src/payments/balance-platform/account-holders/secrets.ts';
import type { Refusal } from '../simulation/expected.ts';
import type { SimulatedRequest } from '../simulation/request.ts';
import { vault } from '../simulation/vault.ts';
import {
  balancePlatform,
  firstHolderId,
  legalEntityId,
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
import { addressing, described, describedOwner, describing, otherTimeZone } from './platform-track.ts';
import type { FaultTrack } from './resource.ts';

const recordOf = (named: { readonly id: string; readonly reference: string }) => ({
  ...named,
  status: 'active' as const,
  timeZone,
  balancePlatform,
  legalEntityId,
});

/** The refusal of a creation or activation under the holder; undefined where it is allowed. */
export function refusedUnderHolder(id: string, platform: PlatformModel): Refusal | undefined {
  const { status } = platform.get(id).record;
  if (status === 'closed') return refused('accountHolderClosed', 'The account holder is closed');
  return status === 'active' ? undefined : refused('holderNotActive', 'The account holder is not active');
}

/** The primary account stays until it is closed; then the oldest open account takes its place. */
export function updatePrimaryAccount(holderId: string, platform: PlatformModel): void {
  const { primaryBalanceAccount } = platform.get(holderId).record;
  const primary = primaryBalanceAccount === undefined ? undefined : platform.get(primaryBalanceAccount);
  if (primary !== undefined && primary.record.status !== 'closed') return;
  platform.change(holderId, { primaryBalanceAccount: platform.oldestOpen(holderId)?.record.id });
}

const create = (reference: string): SimulatedRequest =>
  platformRequest(
    'createAccountHolder',
    { reference },
    (platform, execution) => platform.add(accountHolder.created(recordOf({ id: newIdIn(execution), reference }))),
    { legalEntityId },
  );

type Change = { readonly description?: string; readonly status?: Exclude<Status, 'inactive'> };

const update = (id: string, changes: Change) =>
  platformRequest('updateAccountHolder', { id, ...changes }, (platform) => {
    const refusal = refusedChange(platform.get(id), changes.status);
    if (refusal !== undefined) return refusal;
    if (changes.status === 'closed' && platform.oldestOpen(id) !== undefined)
      return refused('holderInUse', 'An account holder can only be closed when all of its balance accounts are closed');
    return platform.change(id, changes);
  });

/** Names the right body in the stored record, where the legal entity is sealed. */
export const trackMetadata = { body: 'right' };
const enrolling = (metadata: object, description = described('enrol')): object => ({
  legalEntityId: 'LE00000000000000000000001',
  metadata,
  ...description,
});

const trackKeys: FaultTrack['keys'] = {
  enrol: {
    operation: 'createAccountHolder',
    bodies: {
      right: enrolling(trackMetadata),
      'other metadata': enrolling({ body: 'other' }),
      'other time zone': enrolling(trackMetadata, otherTimeZone('enrol')),
    },
  },
  rename: describing('updateAccountHolder', 'rename'),
  retitle: describing('updateAccountHolder', 'retitle'),
};

/** Each shopper's holder is created, described, and perhaps described again. */
const faultTrack: FaultTrack = {
  keys: trackKeys,
  addressing,
  table: 'account_holder',
  columns: ['record'],
  ownerOf(row) {
    const record = JSON.parse(row.record!);
    return record.metadata?.body === trackMetadata.body ? describedOwner(trackKeys, record) : undefined;
  },
};

const api: Omit<PlatformApi, 'kind'> = {
  path: '/accountHolders',
  unknownId: 'AH3227C223222H5J4DCLW9VBV',
  fields: ['accountHolderId'],
  writes: {
    createAccountHolder: () => ({ body: { legalEntityId: 'LE1' }, other: { legalEntityId: 'LE2' } }),
    updateAccountHolder: () => ({ body: { description: 'one' }, other: { description: 'two' } }),
  },
  ids: [
    'createAccountHolder balancePlatform',
    'getAccountHolder id',
    'updateAccountHolder balancePlatform',
    'updateAccountHolder id',
    'updateAccountHolder primaryBalanceAccount',
    'listAccountHolders id',
  ],
  moves: {
    active: { active: 'stays', suspended: 'moves', closed: 'moves' },
    suspended: { active: 'moves', suspended: 'stays', closed: 'moves' },
    closed: { active: '30_209', suspended: '30_209', closed: '30_209' },
  },
  calls: [
    'post /accountHolders',
    'get /accountHolders/{id}',
    'patch /accountHolders/{id}',
    'get /balancePlatforms/{id}/accountHolders',
  ],
};

export const accountHolder = platformResource({
  faultTrack,
  api,
  kind: accountHolders,
  seal: (holder) => sealHolder(holder, vault),
  first: [
    { ...recordOf({ id: firstHolderId, reference: 'first' }), primaryBalanceAccount: secondAccountId },
    recordOf({ id: secondHolderId, reference: 'second' }),
  ],
  workload: [
    { pool: 'first holder', request: update(firstHolderId, { status: 'suspended' }) },
    { pool: 'first holder', request: update(firstHolderId, { status: 'active' }) },
    { pool: 'first holder', request: update(firstHolderId, { status: 'closed' }) },
    { pool: 'second holder', request: create('one') },
    { pool: 'second holder', request: update(secondHolderId, { description: 'the second' }) },
    { pool: 'second holder', request: update(secondHolderId, { status: 'closed' }) },
  ],
  crashCases: [
    { request: create('one'), otherRequest: create('another'), outcome: 'ok' },
    {
      request: update(firstHolderId, { description: 'the first', status: 'suspended' }),
      otherRequest: update(firstHolderId, { description: 'the first' }),
      outcome: 'ok',
    },
    {
      request: update(firstHolderId, { status: 'closed' }),
      otherRequest: update(secondHolderId, { status: 'closed' }),
      outcome: 'holderInUse',
    },
  ],
  refusals: ['holderInUse', 'holderNotActive', 'accountHolderClosed', 'finallyClosed'],
});
