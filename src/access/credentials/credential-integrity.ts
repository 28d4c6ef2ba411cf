/** Computes and compares the MACs of credentials and their secrets. */

import { type RowIntegrity, type RowOf, type Session, signRow, statement, verifyRow } from '../../stores/index.ts';
import { credentialSecrets, credentials } from '../tables.ts';

type CredentialRow = RowOf<typeof credentials>;
type SecretRow = RowOf<typeof credentialSecrets>;

const findCredential = statement<CredentialRow>(
  'find-credential-to-sign',
  `select ${credentials.columnList} from credential where credential_id = $1 and revoked_at is null`,
);
const findSecrets = statement<SecretRow>(
  'find-secrets-to-sign',
  `select ${credentialSecrets.columnList} from credential_secret where credential_id = $1`,
);
const saveCredential = statement(
  'save-credential-mac',
  'update credential set row_mac = $3 where tenant = $1 and credential_id = $2',
);
const saveSecret = statement(
  'save-secret-mac',
  'update credential_secret set row_mac = $4 where tenant = $1 and credential_id = $2 and secret_id = $3',
);

/** Throws `RowAltered`: a change would sign what was altered. */
export async function verifyCredential(session: Session, integrity: RowIntegrity, id: string): Promise<void> {
  for (const row of await session.query(findCredential, [id])) verifyRow(integrity, credentials, row);
  for (const row of await session.query(findSecrets, [id])) verifyRow(integrity, credentialSecrets, row);
}

export async function signCredential(session: Session, integrity: RowIntegrity, id: string): Promise<void> {
  for (const row of await session.query(findCredential, [id])) {
    await session.execute(saveCredential, [row.tenant, id, signRow(integrity, credentials, row)]);
  }
  for (const row of await session.query(findSecrets, [id])) {
    await session.execute(saveSecret, [row.tenant, id, row.secret_id, signRow(integrity, credentialSecrets, row)]);
  }
}
