/** The tables of the balance platform. */
import type { StoredTable } from '../../../store/sql/tables.ts';
import { resourceTables } from './statements.ts';

const key = ['balance_platform', 'id'];

export const balancePlatformTables: readonly StoredTable[] = Object.freeze([
  { name: 'balance_platform', key: ['balance_platform'] },
  ...Object.entries(resourceTables).map(([kind, { name, sealed }]) => ({
    name,
    key,
    ...(sealed && { sealedRecord: (id: string) => `${kind} ${id}` }),
  })),
]);
