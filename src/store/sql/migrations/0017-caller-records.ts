/** Who uses which operation, in which version and format, with which client; and how often on each day. */
import type { Migration } from '../migration.ts';

export const callerRecords: Migration = Object.freeze<Migration>({
  number: 17,
  name: 'caller-records',
  statements: Object.freeze([
    // `last_request` is sealed, and its secrets are masked: it may hold personal data.
    `create table caller_record (
       tenant text not null,
       caller_id text not null,
       credential text not null,
       service text not null,
       operation text not null,
       version bigint,
       format text not null,
       client text not null,
       first_used_at bigint not null,
       last_used_at bigint not null,
       last_outcome text not null,
       key_id text,
       data_key text,
       last_request text,
       primary key (tenant, caller_id)
     )`,
    'create index caller_record_of_credential on caller_record (tenant, credential)',
    // `day`: since the epoch, in UTC.
    `create table caller_record_day (
       tenant text not null,
       caller_id text not null,
       day bigint not null,
       succeeded bigint not null,
       refused bigint not null,
       failed bigint not null,
       switched_off bigint not null,
       exempt bigint not null,
       primary key (tenant, caller_id, day)
     )`,
    'create index caller_record_day_by_day on caller_record_day (day)',
  ]),
  tables: [
    { name: 'caller_record', key: ['tenant', 'caller_id'], sealedRecord: (id) => `caller ${id}` },
    { name: 'caller_record_day', key: ['tenant', 'caller_id', 'day'] },
  ],
});
