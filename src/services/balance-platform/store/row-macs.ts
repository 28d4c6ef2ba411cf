/** What the MACs of balance platforms and their resources cover. */
import type { MacFields } from '../../../store/row-integrity.ts';
import type { SignedTable } from '../../../store/sql/signed-rows.ts';
import type { PlatformRow, ResourceRow } from './statements.ts';

const platformColumns = ['balance_platform', 'company', 'description', 'status', 'time_zone'] as const;

export function platformFields(row: Omit<PlatformRow, 'row_mac'>): MacFields {
  return platformColumns.map((column) => row[column]);
}

/**
 * Not the fingerprint of a number, which a rotation of the index key changes, and which decides only whether a drawn number is drawn again.
 * Not `listed_at`, which decides only the order of lists.
 */
export function resourceFields(
  platform: string,
  { id, parent, status, revision, record }: Pick<ResourceRow, 'id' | 'parent' | 'status' | 'revision' | 'record'>,
): MacFields {
  return [platform, id, parent, status, revision, record];
}

const key = ['balance_platform', 'id'];
const state = ['status', 'revision', 'record'];

export const signedPlatformTables: readonly SignedTable[] = [
  { name: 'balance_platform', key: ['balance_platform'], columns: platformColumns },
  {
    name: 'account_holder',
    key,
    columns: [...key, ...state],
    // It has no parent.
    fieldsOf: (row) => [
      ...key.map((column) => row[column] ?? null),
      null,
      ...state.map((column) => row[column] ?? null),
    ],
  },
  { name: 'balance_account', key, columns: [...key, 'account_holder_id', ...state] },
  { name: 'payment_instrument', key, columns: [...key, 'balance_account_id', ...state] },
];
