/** Counts of quotas and locks, so that a restart forgets none and processes share them. */
import type { Migration } from '../migration.ts';

export const limitCounts: Migration = Object.freeze<Migration>({
  number: 30,
  name: 'limit-counts',
  statements: Object.freeze([
    // Subjects and members are keyed hashes. A row without a member has the sum of its subject.
    `create table limit_count (
       limit_name text not null,
       subject text not null,
       member text not null,
       events bigint not null,
       ends_at bigint not null,
       counted_at bigint not null,
       primary key (limit_name, subject, member)
     )`,
    "create index limit_count_sum on limit_count (counted_at) where member = ''",
  ]),
  tables: [{ name: 'limit_count', key: ['limit_name', 'subject', 'member'] }],
});
