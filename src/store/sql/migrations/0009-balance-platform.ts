/** Balance platforms with their account holders, balance accounts and payment instruments, and credentials that act for one. */
import type { Migration } from '../migration.ts';

export const balancePlatform: Migration = Object.freeze<Migration>({
  number: 9,
  name: 'balance-platform',
  statements: Object.freeze([
    `create table balance_platform (
       balance_platform text not null primary key,
       company text not null,
       description text,
       status text not null,
       time_zone text not null,
       created_at bigint not null
     )`,
    'alter table credential add column balance_platform text references balance_platform (balance_platform)',
    // `listed_at` is the place in the list of its parent: the moment at which a row came there, and behind all that were there.
    `create table account_holder (
       balance_platform text not null,
       id text not null,
       status text not null,
       revision bigint not null,
       record text not null,
       listed_at bigint not null,
       primary key (balance_platform, id),
       foreign key (balance_platform) references balance_platform (balance_platform)
     )`,
    'create index account_holder_list on account_holder (balance_platform, listed_at, id)',
    `create table balance_account (
       balance_platform text not null,
       id text not null,
       account_holder_id text not null,
       status text not null,
       revision bigint not null,
       record text not null,
       listed_at bigint not null,
       primary key (balance_platform, id),
       foreign key (balance_platform, account_holder_id) references account_holder (balance_platform, id)
     )`,
    'create index balance_account_list on balance_account (balance_platform, account_holder_id, listed_at, id)',
    // What keeps an account holder from being closed, and a balance account below.
    `create index balance_account_open on balance_account (balance_platform, account_holder_id, listed_at, id)
       where status <> 'closed'`,
    // The number of a card or an account is sealed; its fingerprint keeps it from being given out again, to anyone.
    `create table payment_instrument (
       balance_platform text not null,
       id text not null,
       balance_account_id text not null,
       status text not null,
       revision bigint not null,
       record text not null,
       listed_at bigint not null,
       number_fingerprint text not null,
       key_id text not null,
       data_key text not null,
       sealed_number text,
       sealed_shown text,
       primary key (balance_platform, id),
       unique (number_fingerprint),
       foreign key (balance_platform, balance_account_id) references balance_account (balance_platform, id)
     )`,
    `create index payment_instrument_list on payment_instrument
       (balance_platform, balance_account_id, listed_at, id)`,
    `create index payment_instrument_open on payment_instrument
       (balance_platform, balance_account_id, listed_at, id) where status <> 'closed'`,
    `create index payment_instrument_by_status on payment_instrument
       (balance_platform, balance_account_id, status, listed_at, id)`,
  ]),
  tables: [
    { name: 'balance_platform', key: ['balance_platform'] },
    // Migration 1 creates these two; a credential references its balance platform.
    { name: 'credential', key: ['company', 'credential_id'] },
    { name: 'credential_secret', key: ['company', 'credential_id', 'secret_id'] },
    // Migration 30 adds the columns.
    { name: 'account_holder', key: ['balance_platform', 'id'], sealedRecord: (id) => `accountHolder ${id}` },
    { name: 'balance_account', key: ['balance_platform', 'id'] },
    { name: 'payment_instrument', key: ['balance_platform', 'id'], sealedRecord: (id) => `paymentInstrument ${id}` },
  ],
});
