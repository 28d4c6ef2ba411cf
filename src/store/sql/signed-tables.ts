/** The tables whose rows have a MAC, by the migration since which they have one. */
import { signedCredentialTables } from './credential-integrity.ts';
import { migrations } from './migrations/index.ts';
import type { SignedTable } from './signed-rows.ts';
import { signedEndpointTable } from './webhook-endpoints.ts';

/** Those of the store itself; services have their own. */
export const signedStoreTables: readonly SignedTable[] = [
  ...signedCredentialTables,
  signedEndpointTable,
  { name: 'audit_copy', key: ['tenant', 'target'], columns: ['tenant', 'target', 'sequence', 'mac'] },
];

/** The number of the last migration that added MACs. */
export const lastSigned = Math.max(...migrations.map(({ number, signed }) => (signed === undefined ? 0 : number)));

/** Tables whose MACs were added after a migration. */
export function tablesSignedAfter(number: number): ReadonlySet<string> {
  return new Set(migrations.flatMap((each) => (each.number > number ? (each.signed ?? []) : [])));
}
