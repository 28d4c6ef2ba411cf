/** Which pepper the hash of a secret was computed with, so that a rotation shows what is left under the old one. */
import type { Migration } from '../migration.ts';

export const pepperIds: Migration = Object.freeze<Migration>({
  number: 21,
  name: 'pepper-ids',
  statements: Object.freeze([
    // Null: with the pepper from before this column.
    'alter table credential_secret add column pepper_id text',
  ]),
});
