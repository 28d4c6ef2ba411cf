/** The rows that imports have refused: another import of the same file tries them again. */
import type { Migration } from '../migration.ts';

export const refusedImportRows: Migration = Object.freeze<Migration>({
  number: 20,
  name: 'refused-import-rows',
  statements: Object.freeze([
    `create table refused_import_row (
       source text not null references import_progress (source) on delete cascade,
       row_number bigint not null,
       primary key (source, row_number)
     )`,
  ]),
  tables: [{ name: 'refused_import_row', key: ['source', 'row_number'] }],
});
