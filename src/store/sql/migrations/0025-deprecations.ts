/** Deprecations that operators set while servers run. */
import type { Migration } from '../migration.ts';

export const deprecations: Migration = Object.freeze<Migration>({
  number: 25,
  name: 'deprecations',
  statements: Object.freeze([
    // `rule` is JSON. `changed_by`: who, as in the audit log.
    `create table deprecation (
       id text not null primary key,
       rule text not null,
       revision bigint not null,
       changed_at bigint not null,
       changed_by text not null
     )`,
    // The deprecation may be one of a configuration, so that there is no foreign key.
    `create table deprecation_exemption (
       deprecation text not null,
       credential text not null,
       exempted_at bigint not null,
       exempted_by text not null,
       primary key (deprecation, credential)
     )`,
    // One row, which each change counts up and locks.
    'create table deprecation_revision (id bigint not null primary key, revision bigint not null)',
    'insert into deprecation_revision (id, revision) values (1, 0)',
  ]),
  tables: [
    { name: 'deprecation', key: ['id'] },
    { name: 'deprecation_exemption', key: ['deprecation', 'credential'] },
    { name: 'deprecation_revision', key: ['id'], isFilled: true },
  ],
});
