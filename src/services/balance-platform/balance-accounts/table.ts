/** The table of balance accounts; their parent is an account holder. */
import type { ResourceTable } from '../store/table.ts';

export const balanceAccountTable: ResourceTable<'balanceAccount'> = Object.freeze<ResourceTable<'balanceAccount'>>({
  name: 'balance_account',
  parent: { column: 'account_holder_id', idOf: ({ accountHolderId }) => accountHolderId },
});
