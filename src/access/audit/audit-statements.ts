/** The SQL of the audit log; one text for both engines. */

import { memoize } from '../../core/lib/index.ts';
import {
  fieldsOf,
  macLength,
  placeholders,
  type RowOf,
  type Statement,
  statement,
  type Table,
} from '../../stores/index.ts';
import type { AuditEntry } from './chain.ts';
import type { auditChain, auditEntries } from './tables.ts';
import type { StoredHead } from './verify.ts';

export type ChainRow = Omit<RowOf<typeof auditChain>, 'tenant' | 'chain'>;

/** What a chain is compared with; both null where there is none. */
export type ReferenceRow = {
  /** See `macOfHead`. In another table, so that it stays where only the log is removed or set back. */
  readonly anchor: string | null;
  /** The MAC of a given entry. */
  readonly known_mac: string | null;
};

type EntryRow = RowOf<typeof auditEntries>;

const chainColumns = 'last_sequence, last_mac, removed_through, removed_mac, head_mac, key_id, data_key, sealed_key';
const entryColumns = 'sequence, recorded_at, kind, actor_type, actor, subject, detail, process, mac';

const reference = `(select audit_anchor from row_integrity where tenant = '' and id = 'state') as anchor,
          (select mac from audit_entry where sequence = $1) as known_mac`;

/** Processes append one after the other: the row stays locked until the end of the transaction. */
export const lockChain = statement<ChainRow>(
  'lock-audit-chain',
  `update audit_chain set last_sequence = last_sequence where tenant = '' and chain = 'gateway' returning ${chainColumns}`,
);

/** In one statement: another process may append meanwhile. */
export const findChain = statement<ChainRow & ReferenceRow>(
  'find-audit-chain',
  `select ${chainColumns}, ${reference} from audit_chain where tenant = '' and chain = 'gateway'`,
);

export const findReference = statement<ReferenceRow>('find-audit-reference', `select ${reference}`);

/** Writes no row where the store has no keys of row MACs yet. */
export const saveAnchor = statement(
  'save-audit-anchor',
  `update row_integrity set audit_anchor = $1 where tenant = '' and id = 'state'`,
);

/** The pins in the MACs of a table. */
export function pinsOf(table: Table): Statement<{ readonly pin: string }> {
  return statement(
    `find-pins-of-${table.name}`,
    `select distinct substr(row_mac, ${macLength + 2}) as pin from ${table.name} where length(row_mac) > ${macLength}`,
  );
}

export const addChain = statement(
  'add-audit-chain',
  `insert into audit_chain
     (tenant, chain, last_sequence, last_mac, removed_through, removed_mac, head_mac, key_id, data_key, sealed_key)
   values ('', 'gateway', 0, '', 0, '', $1, $2, $3, $4) on conflict do nothing`,
);

export const saveHead = statement(
  'save-audit-head',
  `update audit_chain set last_sequence = $1, last_mac = $2, removed_through = $3, removed_mac = $4, head_mac = $5
    where tenant = '' and chain = 'gateway'`,
);

export const insertEntries = memoize((count: number) =>
  statement(
    `insert-${count}-audit-entries`,
    `insert into audit_entry (${entryColumns}) values ${placeholders(count, Array(9).fill(''))}`,
  ),
);

export const findKnown = memoize((count: number) =>
  statement<Pick<EntryRow, 'kind' | 'subject'>>(
    `find-known-audit-entries-${count}`,
    `select distinct kind, subject from audit_entry where (kind, subject) in (values ${placeholders(count, ['', ''])})`,
  ),
);

export const findLast = statement<{ readonly sequence: number }>(
  'find-last-audit-entry',
  'select coalesce(max(sequence), 0) as sequence from audit_entry',
);

export const findMac = statement<{ readonly mac: string }>(
  'find-audit-mac',
  'select mac from audit_entry where sequence = $1',
);

export const countBeyond = statement<{ readonly entries: number }>(
  'count-audit-entries-beyond',
  `select count(*) as entries from audit_entry
    where sequence > (select last_sequence from audit_chain where tenant = '' and chain = 'gateway')`,
);

export const entriesPerPage = 500;

export const readEntries = statement<EntryRow>(
  'read-audit-entries',
  `select ${entryColumns} from audit_entry where sequence >= $1 and sequence <= $2 order by sequence limit ${entriesPerPage}`,
);

/** The first entry of a page that is not older than the moment; the page begins after a sequence. */
export const readTimes = statement<Pick<EntryRow, 'sequence' | 'recorded_at' | 'mac'>>(
  'read-audit-times',
  `select sequence, recorded_at, mac from audit_entry where sequence > $1 order by sequence limit ${entriesPerPage}`,
);

/** Empty texts match everything. `actors`: the number of credentials, where only their entries match. */
export const listEntries = memoize((actors: number | undefined) => {
  const names = Array.from({ length: actors ?? 0 }, (_, at) => `$${at + 9}`).join();
  return statement<EntryRow>(
    actors === undefined ? 'list-audit-entries' : `list-audit-entries-of-${actors}`,
    `select ${entryColumns} from audit_entry
      where recorded_at >= $1 and recorded_at < $2
        and (cast($3 as text) = '' or kind = $3) and (cast($4 as text) = '' or actor = $4)
        and (cast($5 as text) = '' or subject = $5) and sequence < $6
        and (cast($8 as text) = '' or subject = $8 or detail like '%"' || $8 || '"%')
        ${actors === undefined ? '' : `and actor_type = 'credential' and actor in (${names})`}
      order by sequence desc limit $7`,
  );
});

export const deleteThrough = statement(
  'delete-audit-entries',
  `delete from audit_entry where sequence in
     (select sequence from audit_entry where sequence <= $1 order by sequence limit ${entriesPerPage})`,
);

export function headOf(row: ChainRow, anchor: string | null): StoredHead {
  const { lastSequence, lastMac, removedThrough, removedMac, headMac } = fieldsOf(row);
  return { anchor: anchor ?? '', lastSequence, lastMac, removedThrough, removedMac, headMac };
}

export function valuesOf(entry: AuditEntry) {
  const { sequence, recordedAt, kind, actorType, actor, subject, detail, process, mac } = entry;
  return [sequence, recordedAt, kind, actorType, actor, subject, detail, process, mac];
}
