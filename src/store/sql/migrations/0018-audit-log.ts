/** The audit log: entries that can only be added, and the end of their chain with its sealed key. */
import type { Migration } from '../migration.ts';

const refusal = 'the audit log is append-only';

export const auditLog: Migration = Object.freeze<Migration>({
  number: 18,
  name: 'audit-log',
  statements: Object.freeze([
    // One row. `sealed_key` computes the MACs. The columns `tenant` and `chain` are its key for the rotation of keys.
    `create table audit_chain (
       tenant text not null,
       chain text not null,
       last_sequence bigint not null,
       last_mac text not null,
       removed_through bigint not null,
       removed_mac text not null,
       head_mac text not null,
       key_id text not null,
       data_key text not null,
       sealed_key text not null,
       primary key (tenant, chain)
     )`,
    `create table audit_entry (
       sequence bigint not null primary key,
       recorded_at bigint not null,
       kind text not null,
       actor_type text not null,
       actor text not null,
       subject text not null,
       detail text not null,
       process text not null,
       mac text not null
     )`,
    'create index audit_entry_by_time on audit_entry (recorded_at)',
    'create index audit_entry_by_subject on audit_entry (kind, subject)',
  ]),
  // Triggers have no text for both. They guard against mistakes: the owner of the tables can remove them, and the MACs show what was done.
  perEngine: {
    sqlite: [
      `create trigger audit_entry_update before update on audit_entry
       begin select raise(abort, '${refusal}'); end`,
      // Old entries may go once the signed end of the chain says so.
      `create trigger audit_entry_delete before delete on audit_entry
         when old.sequence > coalesce((select max(removed_through) from audit_chain), 0)
       begin select raise(abort, '${refusal}'); end`,
      `create trigger audit_chain_update before update on audit_chain
         when new.last_sequence < old.last_sequence or new.removed_through < old.removed_through
       begin select raise(abort, '${refusal}'); end`,
      `create trigger audit_chain_delete before delete on audit_chain
       begin select raise(abort, '${refusal}'); end`,
    ],
    postgres: [
      `create function audit_refuse() returns trigger language plpgsql as
       $$ begin raise exception '${refusal}'; end $$`,
      `create function audit_refuse_unless_removed() returns trigger language plpgsql as
       $$ begin
         if old.sequence > coalesce((select max(removed_through) from audit_chain), 0) then
           raise exception '${refusal}';
         end if;
         return old;
       end $$`,
      `create trigger audit_entry_update before update on audit_entry
         for each row execute function audit_refuse()`,
      `create trigger audit_entry_delete before delete on audit_entry
         for each row execute function audit_refuse_unless_removed()`,
      `create trigger audit_entry_truncate before truncate on audit_entry
         for each statement execute function audit_refuse()`,
      `create trigger audit_chain_update before update on audit_chain for each row
         when (new.last_sequence < old.last_sequence or new.removed_through < old.removed_through)
         execute function audit_refuse()`,
      `create trigger audit_chain_delete before delete on audit_chain
         for each row execute function audit_refuse()`,
      `create trigger audit_chain_truncate before truncate on audit_chain
         for each statement execute function audit_refuse()`,
    ],
  },
  tables: [
    { name: 'audit_entry', key: ['sequence'] },
    { name: 'audit_chain', key: ['tenant', 'chain'], sealedRecord: (chain) => `audit ${chain}` },
  ],
});
