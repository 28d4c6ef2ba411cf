/** Every table of the store, as the migrations declare them, except those about the database itself. */
import type { StoredTable } from './migration.ts';
import { migrations } from './migrations/index.ts';

export const tables: readonly StoredTable[] = Object.freeze(migrations.flatMap((each) => each.tables ?? []));

/** Tables about the database itself, which a copy creates anew. */
export const tablesOfDatabase = Object.freeze([
  'migration',
  'migration_lock',
  'service_migration',
  'copy_progress',
  'write_check',
  'lease',
]);
