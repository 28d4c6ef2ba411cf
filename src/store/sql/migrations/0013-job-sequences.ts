/** The last position of each ordering key, so that a new job takes its place without reading other jobs. */
import type { Migration } from '../migration.ts';

export const jobSequences: Migration = Object.freeze<Migration>({
  number: 13,
  name: 'job-sequences',
  statements: Object.freeze([
    // A row exists while the ordering key has a job that is not dead.
    `create table job_sequence (
       company text not null,
       ordering_key text not null,
       last_position bigint not null,
       primary key (company, ordering_key)
     )`,
    `insert into job_sequence (company, ordering_key, last_position)
     select company, ordering_key, max(position) from job
      where dead_since is null and ordering_key <> job_id group by company, ordering_key`,
    // A dead job keeps its position, which a later job of a new sequence may have, too.
    'drop index job_ordering_key',
    'create index job_ordering_key on job (company, ordering_key, position)',
  ]),
  tables: [{ name: 'job_sequence', key: ['company', 'ordering_key'] }],
});
