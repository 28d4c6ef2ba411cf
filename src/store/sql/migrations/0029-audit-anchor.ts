/** The anchor of the audit log, outside of its tables, and how far it was copied. */
import type { Migration } from '../migration.ts';

export const auditAnchor: Migration = Object.freeze<Migration>({
  number: 29,
  name: 'audit-anchor',
  statements: Object.freeze([
    // A random text, renewed with each batch of entries. The MAC of the end of the log covers it.
    'alter table row_integrity add column audit_anchor text',
    // How far each copy has come: the last entry that it has. `row_mac` covers the other columns.
    `create table audit_copy (
       tenant text not null,
       target text not null,
       sequence bigint not null,
       mac text not null,
       row_mac text,
       primary key (tenant, target)
     )`,
  ]),
  tables: [{ name: 'audit_copy', key: ['tenant', 'target'] }],
  signed: ['audit_copy'],
});
