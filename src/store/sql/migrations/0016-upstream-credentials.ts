/** Credentials at upstreams, sealed: one for each upstream and credential of a caller. */
import type { Migration } from '../migration.ts';

export const upstreamCredentials: Migration = Object.freeze<Migration>({
  number: 16,
  name: 'upstream-credentials',
  statements: Object.freeze([
    `create table upstream_credential (
       upstream text not null,
       credential_id text not null,
       kind text not null,
       key_id text not null,
       data_key text not null,
       sealed_credential text not null,
       created_at bigint not null,
       primary key (upstream, credential_id)
     )`,
  ]),
  tables: [
    {
      name: 'upstream_credential',
      key: ['upstream', 'credential_id'],
      sealedRecord: (id) => `upstream credential ${id}`,
    },
  ],
});
