/** One row that readiness probes write, to prove that the database accepts writes. */
import type { Migration } from '../migration.ts';

export const writeCheck: Migration = Object.freeze({
  number: 11,
  name: 'write-check',
  statements: Object.freeze([
    'create table write_check (id bigint not null primary key, checked_at bigint not null)',
    'insert into write_check (id, checked_at) values (1, 0)',
  ]),
});
