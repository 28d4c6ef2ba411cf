/** The tables of the balance platform: its own, and that of each kind of resource. */
import type { TableOwner } from '../../store/sql/create-tables.ts';
import { resourceKinds } from './resources.ts';
import { balancePlatforms } from './store/tables.ts';

export const balancePlatformTables: TableOwner = Object.freeze<TableOwner>({
  name: 'balance-platform',
  tables: [balancePlatforms, ...resourceKinds.map(({ table }) => table)],
});
