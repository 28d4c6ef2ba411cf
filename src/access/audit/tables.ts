/** The tables of the audit log: entries that can only be added, the end of their chain, and how far each copy has come. */
import { column, table } from '../../stores/index.ts';

const { tenant, text, integer, moment, json, dataKey } = column;

const refusal = 'the audit log is append-only';

/** The end of the chain. */
export const auditChain = table('audit_chain', {
  // One row. `sealedKey` computes the MACs.
  columns: {
    tenant,
    chain: text,
    lastSequence: integer,
    lastMac: text,
    removedThrough: integer,
    removedMac: text,
    headMac: text,
    ...dataKey,
    sealedKey: text,
  },
  key: ['tenant', 'chain'],
  sealedRecord: (chain) => `audit ${chain}`,
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

/** The entries of the log. */
export const auditEntries = table('audit_entry', {
  columns: {
    sequence: integer,
    recordedAt: moment,
    kind: text,
    actorType: text,
    actor: text,
    subject: text,
    detail: json,
    process: text,
    mac: text,
  },
  key: ['sequence'],
  shared: 'tenants, since entries are one chain',
  indexes: { byTime: { on: ['recordedAt'] }, bySubject: { on: ['kind', 'subject'] } },
  signed: 'none',
  belongsTo: 'none',
  keptFor: { deletedBy: 'AuditLog.removeBefore, after AUDIT_DAYS_MAX' },
  // Triggers guard against mistakes: the owner of the tables can remove them, and the MACs show what was done.
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
});

/** How far each copy of the log has come: the last entry that it has. */
export const auditCopies = table('audit_copy', {
  columns: { tenant, target: text, sequence: integer, mac: text },
  key: ['tenant', 'target'],
  signed: 'allColumns',
  belongsTo: 'none',
  keptFor: 'forever',
});

export const auditTables = Object.freeze([auditChain, auditEntries, auditCopies]);
