/** Requests that were forwarded to another server and have no outcome. */
import type { Migration } from '../migration.ts';

export const pendingRequests: Migration = Object.freeze<Migration>({
  number: 15,
  name: 'pending-requests',
  statements: Object.freeze([
    // `input` and `failure` are without secrets. `attempt` is the reference of the request that has asked last.
    `create table pending_request (
       request_id text not null primary key,
       record_key text,
       attempt text not null,
       tenant text not null,
       credential text not null,
       upstream text not null,
       service text not null,
       operation text not null,
       process text not null,
       input text,
       failure text,
       started_at bigint not null,
       in_flight_until bigint not null,
       repeatable_until bigint not null,
       reported bigint not null default 0,
       unique (record_key)
     )`,
  ]),
  tables: [{ name: 'pending_request', key: ['request_id'] }],
});
