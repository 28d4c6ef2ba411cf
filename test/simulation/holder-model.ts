/** What ought to become of account holders and balance accounts: who may close, and which account is the primary one. */
import type { Expected, Made } from './expected.ts';
import type { AccountBody, HolderBody } from './resource-body.ts';
import { type Resources, refused, refusedMove } from './resource-model.ts';
import { accountRecord, holderRecord } from './resource-records.ts';

const idOf = ({ id }: Made): string => {
  if (id === undefined) throw new Error('what is new has no id');
  return id;
};

/** Undefined where something may come to be or to work below the holder. */
export const refusedBelowHolder = (id: string, resources: Resources): Expected | undefined => {
  const { status } = resources.get(id).record;
  if (status === 'closed') return refused('accountHolderClosed');
  return status === 'active' ? undefined : refused('holderNotActive');
};

/** The primary account stays until it is closed; then it is the oldest that is not. */
const settlePrimary = (holderId: string, resources: Resources): void => {
  const { primaryBalanceAccount } = resources.get(holderId).record;
  const primary = primaryBalanceAccount === undefined ? undefined : resources.get(primaryBalanceAccount);
  if (primary !== undefined && primary.record.status !== 'closed') return;
  const next = resources.oldestOpen(holderId)?.record.id;
  resources.change(holderId, { primaryBalanceAccount: next });
};

export const applyToHolder = (body: HolderBody, made: Made, resources: Resources): Expected => {
  switch (body.operation) {
    case 'createAccountHolder':
      return resources.add('accountHolder', holderRecord({ id: idOf(made), reference: body.reference }));
    case 'updateAccountHolder': {
      const { operation: _, id, ...changes } = body;
      const wrong = refusedMove(resources.get(id), changes.status);
      if (wrong !== undefined) return wrong;
      const isInUse = changes.status === 'closed' && resources.oldestOpen(id) !== undefined;
      return isInUse ? refused('holderInUse') : resources.change(id, changes);
    }
    default:
      return body satisfies never;
  }
};

export const applyToAccount = (body: AccountBody, made: Made, resources: Resources): Expected => {
  switch (body.operation) {
    case 'createBalanceAccount': {
      const { accountHolderId, reference } = body;
      const wrong = refusedBelowHolder(accountHolderId, resources);
      if (wrong !== undefined) return wrong;
      const added = resources.add('balanceAccount', accountRecord({ id: idOf(made), accountHolderId, reference }));
      settlePrimary(accountHolderId, resources);
      return added;
    }
    case 'updateBalanceAccount':
      return updateAccount(body, resources);
    default:
      return body satisfies never;
  }
};

const updateAccount = (
  body: Extract<AccountBody, { operation: 'updateBalanceAccount' }>,
  resources: Resources,
): Expected => {
  const { operation: _, id, ...changes } = body;
  const before = resources.get(id);
  const accountHolderId = before.record.accountHolderId!;
  const begins = changes.status === 'active' && before.record.status !== 'active';
  const wrong =
    refusedMove(before, changes.status) ?? (begins ? refusedBelowHolder(accountHolderId, resources) : undefined);
  if (wrong !== undefined) return wrong;
  if (changes.status === 'closed' && resources.oldestOpen(id) !== undefined) return refused('accountInUse');
  const changed = resources.change(id, changes);
  settlePrimary(accountHolderId, resources);
  return changed;
};
