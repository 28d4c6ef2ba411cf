/** The kind of balance accounts; their parent is an account holder. */
import { accountHolders } from '../account-holders/kind.ts';
import { resourceKind } from '../resource.ts';
import type { BalanceAccount } from './contract.ts';

export const balanceAccounts = resourceKind<BalanceAccount>({
  name: 'balanceAccount',
  lifecycle: {
    active: ['inactive', 'suspended', 'closed'],
    inactive: ['active', 'suspended', 'closed'],
    suspended: ['active', 'inactive', 'closed'],
    closed: [],
  },
  table: 'balance_account',
  parent: { kind: accountHolders, idOf: ({ accountHolderId }) => accountHolderId },
});
