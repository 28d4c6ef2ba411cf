/** Every table of the store; tables that others refer to come first. */
import { engineTables, type StoredTable } from '../store/sql/tables.ts';
import { balancePlatformTables } from './balance-platform/store/tables.ts';
import { recurringTables } from './recurring/store/tables.ts';

export const tables: readonly StoredTable[] = Object.freeze([
  ...recurringTables,
  ...balancePlatformTables,
  ...engineTables,
]);
