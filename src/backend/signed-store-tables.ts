/** The tables of the engine whose rows have a MAC. Services have others. */
import { signedCredentialTables } from '../callers/credentials/credential-integrity.ts';
import type { SignedTable } from '../store/sql/signed-rows.ts';
import { signedEndpointTable } from '../store/sql/webhook-endpoints.ts';

export const signedStoreTables: readonly SignedTable[] = [
  ...signedCredentialTables,
  signedEndpointTable,
  { name: 'audit_copy', key: ['tenant', 'target'], columns: ['tenant', 'target', 'sequence', 'mac'] },
];
