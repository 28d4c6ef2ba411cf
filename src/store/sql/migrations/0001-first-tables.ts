/** The first tables: merchant accounts, credentials, shoppers with their stored details, and the progress of imports. */
import type { Migration } from '../migration.ts';

export const firstTables: Migration = Object.freeze<Migration>({
  number: 1,
  name: 'first-tables',
  statements: Object.freeze([
    `create table merchant_account (
       company text not null,
       code text not null,
       created_at bigint not null,
       primary key (company, code),
       unique (code)
     )`,
    `create table credential (
       company text not null,
       credential_id text not null,
       kind text not null,
       username text,
       roles text not null,
       merchant_accounts text not null,
       created_at bigint not null,
       revoked_at bigint,
       primary key (company, credential_id),
       unique (credential_id)
     )`,
    // The name of a revoked credential may be given again.
    'create unique index credential_username on credential (username) where revoked_at is null',
    `create table credential_secret (
       company text not null,
       credential_id text not null,
       secret_id text not null,
       lookup text,
       salt text not null,
       hash text not null,
       created_at bigint not null,
       valid_until bigint,
       primary key (company, credential_id, secret_id),
       unique (lookup),
       foreign key (company, credential_id) references credential (company, credential_id)
     )`,
    `create table shopper (
       company text not null,
       merchant_account text not null,
       shopper_reference text not null,
       created_at bigint not null,
       email text,
       primary key (company, merchant_account, shopper_reference),
       foreign key (company, merchant_account) references merchant_account (company, code)
     )`,
    `create table stored_detail (
       company text not null,
       recurring_detail_reference text not null,
       merchant_account text not null,
       shopper_reference text not null,
       created_at bigint not null,
       contracts text not null,
       fingerprint text not null,
       open_part text not null,
       key_id text not null,
       data_key text not null,
       sealed_number text,
       sealed_shown text,
       disabled_at bigint,
       primary key (company, recurring_detail_reference),
       foreign key (company, merchant_account, shopper_reference)
         references shopper (company, merchant_account, shopper_reference)
     )`,
    // In the order of the answer, so that the active details of a shopper are found without sorting.
    `create index stored_detail_active on stored_detail
       (company, merchant_account, shopper_reference, created_at, recurring_detail_reference)
       where disabled_at is null`,
    `create table import_progress (
       source text not null primary key,
       rows_done bigint not null,
       updated_at bigint not null
     )`,
  ]),
  tables: [
    { name: 'merchant_account', key: ['company', 'code'] },
    { name: 'shopper', key: ['company', 'merchant_account', 'shopper_reference'] },
    {
      name: 'stored_detail',
      key: ['company', 'recurring_detail_reference'],
      sealedRecord: (recurringDetailReference) => recurringDetailReference,
    },
    { name: 'import_progress', key: ['source'] },
  ],
});
