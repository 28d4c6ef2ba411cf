/** The table of account holders; their parent is the platform. */
import type { ResourceTable } from '../store/table.ts';

export const accountHolderTable: ResourceTable<'accountHolder'> = Object.freeze<ResourceTable<'accountHolder'>>({
  name: 'account_holder',
});
