/** Limits of credentials: expiry, networks, certificates and reading only; their last use; two keys of a webhook endpoint. */
import type { Migration } from '../migration.ts';

export const leastPrivilege: Migration = Object.freeze<Migration>({
  number: 19,
  name: 'least-privilege',
  statements: Object.freeze([
    'alter table credential add column read_only bigint not null default 0',
    'alter table credential add column expires_at bigint',
    // Two JSON lists of texts; null where the credential is bound to none.
    'alter table credential add column networks text',
    'alter table credential add column certificates text',
    // The role `recurring` contains token look-ups no longer. Credentials that could use them still can.
    `update credential
        set roles = substr(roles, 1, length(roles) - 1) || ',"recurring:lookup"]'
      where roles like '%"recurring"%'`,
    // A table of its own: writing the last use of a credential must not touch what authorizes it.
    `create table credential_use (
       company text not null,
       credential_id text not null,
       first_used_at bigint not null,
       last_used_at bigint not null,
       primary key (company, credential_id)
     )`,
    // What is known of the time before this table.
    `insert into credential_use (company, credential_id, first_used_at, last_used_at)
     select c.company, c.credential_id, min(r.first_used_at), max(r.last_used_at)
       from credential c
       join caller_record r on r.tenant = c.company and r.credential = c.credential_id
      group by c.company, c.credential_id`,
    // The sealed key holds two keys until then.
    'alter table webhook_endpoint add column previous_key_until bigint',
  ]),
  tables: [{ name: 'credential_use', key: ['company', 'credential_id'] }],
});
