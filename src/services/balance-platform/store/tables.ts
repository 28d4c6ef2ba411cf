/** The tables of the balance platform. */
import type { StoredTable } from '../../../store/sql/tables.ts';
import { resourceKinds } from '../resources.ts';

const key = ['balance_platform', 'id'];

export const balancePlatformTables: readonly StoredTable[] = Object.freeze([
  { name: 'balance_platform', key: ['balance_platform'] },
  ...resourceKinds.map(({ name, table, sealed }) => ({
    name: table,
    key,
    ...(sealed && { sealedRecord: (id: string) => `${name} ${id}` }),
  })),
]);
