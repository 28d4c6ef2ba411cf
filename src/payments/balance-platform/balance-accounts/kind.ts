/** The kind of balance accounts; their parent is an account holder. */
import { accountHolders } from '../account-holders/kind.ts';
import { resourceKind } from '../resource.ts';
import { accountTransitions, type BalanceAccount } from './contract.ts';

export const balanceAccounts = resourceKind<BalanceAccount>({
  name: 'balanceAccount',
  lifecycle: accountTransitions,
  table: 'balance_account',
  parent: { kind: accountHolders, idOf: ({ accountHolderId }) => accountHolderId },
});
