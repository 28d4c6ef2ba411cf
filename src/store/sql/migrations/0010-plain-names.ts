/** Standard names for tables, columns, indexes and the kinds of jobs. */
import type { Migration } from '../migration.ts';

export const plainNames: Migration = Object.freeze({
  number: 10,
  name: 'plain-names',
  statements: Object.freeze([
    'alter table journal rename to idempotency_record',
    'alter table idempotency_record rename column scope to record_key',
    'alter table idempotency_record rename column fingerprint to request_hash',
    'drop index journal_expiry',
    'create index idempotency_record_expiry on idempotency_record (expires_at)',

    'alter table job rename column lane to ordering_key',
    'alter table job rename column place to position',
    'alter table job rename column holder to lease_owner',
    'alter table job rename column given_up_at to dead_since',
    // Without the index on it, a kind is changed once.
    'drop index job_file',
    'drop index job_lane',
    'drop index job_given_up',
    "update job set kind = 'updater-check' where kind = 'check'",
    "update job set kind = 'batch-wait' where kind = 'gather'",
    "update job set kind = 'batch-response' where kind = 'answer'",
    "update job set kind = 'batch-file' where kind = 'file'",
    `update job set kind = 'batch-cycle', job_id = 'batch-cycle', ordering_key = 'batch-cycle'
      where kind = 'round' and company = '' and job_id = 'round'`,
    'create unique index job_ordering_key on job (company, ordering_key, position)',
    'create index job_dead on job (company, kind, dead_since) where dead_since is not null',
    "create index job_batch on job (lease_owner, company, job_id) where kind = 'batch-response'",

    'alter table stored_detail rename column open_part to public_data',
    'alter table stored_detail rename column sealed_shown to sealed_payload',
    'alter table payment_instrument rename column sealed_shown to sealed_payload',
    'alter table detail_change rename column before_part to card_before',
    'alter table detail_change rename column after_part to card_after',
  ]),
  tables: [{ name: 'idempotency_record', key: ['record_key'] }],
});
