/** Endpoints: the addresses at which a company wants to be told what becomes of its stored details. */
import type { Migration } from '../migration.ts';

export const webhookEndpoints: Migration = Object.freeze<Migration>({
  number: 7,
  name: 'webhook-endpoints',
  statements: Object.freeze([
    `create table webhook_endpoint (
       company text not null,
       endpoint_id text not null,
       url text not null,
       format text not null,
       key_id text not null,
       data_key text not null,
       sealed_key text not null,
       created_at bigint not null,
       primary key (company, endpoint_id)
     )`,
  ]),
  tables: [{ name: 'webhook_endpoint', key: ['company', 'endpoint_id'], sealedRecord: (id) => `webhook ${id}` }],
});
