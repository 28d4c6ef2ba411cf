/** The journal of requests with an Idempotency-Key, and credentials that may not write without one. */
import type { Migration } from '../migration.ts';

export const journal: Migration = Object.freeze({
  number: 2,
  name: 'journal',
  statements: Object.freeze([
    // `scope` stands for environment, company and key; without the key it says nothing.
    `create table journal (
       scope text not null primary key,
       fingerprint text not null,
       operation text not null,
       psp_reference text not null,
       outcome text,
       created_at bigint not null,
       expires_at bigint not null,
       unique (psp_reference)
     )`,
    'create index journal_expiry on journal (expires_at)',
    'alter table credential add column requires_key bigint not null default 0',
  ]),
});
