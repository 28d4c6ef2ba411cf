/** What the MACs of balance platforms and their resources cover. */
import type { MacFields } from '../../../store/row-integrity.ts';
import type { PlatformRow, ResourceRow } from './statements.ts';

export const platformColumns = ['balance_platform', 'company', 'description', 'status', 'time_zone'] as const;

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
