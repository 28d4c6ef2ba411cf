/** How far a copy from another store has come; empty before and after. */
import type { Migration } from '../migration.ts';

export const copyProgress: Migration = Object.freeze({
  number: 3,
  name: 'copy-progress',
  statements: Object.freeze([
    // `source` stands for the store that is copied, `last_key` for the last row of the table that is here.
    `create table copy_progress (
       table_name text not null primary key,
       source text not null,
       last_key text,
       rows_done bigint not null
     )`,
  ]),
});
