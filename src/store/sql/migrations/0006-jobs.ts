/** Jobs: work that outlives a request, kept with the request's effect until it is done. */
import type { Migration } from '../migration.ts';

export const jobs: Migration = Object.freeze<Migration>({
  number: 6,
  name: 'jobs',
  statements: Object.freeze([
    // `due_at` is when somebody may take it; absent while others of its lane come first, and once it is given up.
    `create table job (
       company text not null,
       job_id text not null,
       kind text not null,
       lane text not null,
       place bigint not null,
       payload text not null,
       key_id text,
       data_key text,
       sealed_number text,
       created_at bigint not null,
       due_at bigint,
       attempts bigint not null default 0,
       holder text,
       given_up_at bigint,
       last_failure text,
       primary key (company, job_id)
     )`,
    'create index job_due on job (kind, due_at) where due_at is not null',
    'create unique index job_lane on job (company, lane, place)',
    'create index job_given_up on job (company, kind, given_up_at) where given_up_at is not null',
  ]),
  tables: [{ name: 'job', key: ['company', 'job_id'], sealedRecord: (id) => `job ${id}` }],
});
