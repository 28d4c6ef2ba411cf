/** The anchor of the audit log, outside of its tables. */
import type { Migration } from '../migration.ts';

export const auditAnchor: Migration = Object.freeze<Migration>({
  number: 29,
  name: 'audit-anchor',
  statements: Object.freeze([
    // A random text, renewed with each batch of entries. The MAC of the end of the log covers it.
    'alter table row_integrity add column audit_anchor text',
  ]),
});
