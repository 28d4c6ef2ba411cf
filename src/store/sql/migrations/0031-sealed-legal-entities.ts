/** The legal entities of account holders are sealed. Rows from before have them in the record until they are changed. */
import type { Migration } from '../migration.ts';

export const sealedLegalEntities: Migration = Object.freeze<Migration>({
  number: 31,
  name: 'sealed-legal-entities',
  statements: Object.freeze([
    'alter table account_holder add column key_id text',
    'alter table account_holder add column data_key text',
    'alter table account_holder add column sealed_payload text',
  ]),
});
