/** MACs of rows that are stored in the clear. */
import type { Migration } from '../migration.ts';

export const rowMacs: Migration = Object.freeze<Migration>({
  number: 23,
  name: 'row-macs',
  statements: Object.freeze([
    'alter table stored_detail add column row_mac text',
    'alter table credential add column row_mac text',
    'alter table credential_secret add column row_mac text',
    // One row. The keys of the MACs are sealed, with what is known of rows without one.
    `create table row_integrity (
       tenant text not null,
       id text not null,
       key_id text not null,
       data_key text not null,
       sealed_state text not null,
       primary key (tenant, id)
     )`,
  ]),
  tables: [{ name: 'row_integrity', key: ['tenant', 'id'], sealedRecord: (id) => `row integrity ${id}` }],
  signed: ['stored_detail', 'credential', 'credential_secret'],
});
