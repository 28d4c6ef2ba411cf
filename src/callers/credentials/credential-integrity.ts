/** The MACs of credentials and their secrets: which columns they cover, and who computes them. */
import type { AlteredRow, MacFields, RowIntegrity } from '../../store/row-integrity.ts';
import { type Session, statement } from '../../store/sql/engine.ts';
import type { SignedTable } from '../../store/sql/signed-rows.ts';

/** The columns of a credential that decide. The time of a revocation is not among them: a revoked credential has no MAC. */
export type CredentialMacRow = {
  readonly company: string;
  readonly credential_id: string;
  readonly kind: string;
  readonly username: string | null;
  readonly roles: string;
  readonly grants: string;
  readonly requires_key: number;
  readonly tenant_partition: string | null;
  readonly read_only: number;
  readonly expires_at: number | null;
  readonly networks: string | null;
  readonly certificates: string | null;
};

/** A new column that decides is added here and to the type. */
const credentialColumns = [
  'company',
  'credential_id',
  'kind',
  'username',
  'roles',
  'grants',
  'requires_key',
  'tenant_partition',
  'read_only',
  'expires_at',
  'networks',
  'certificates',
] as const satisfies readonly (keyof CredentialMacRow)[];

export type SecretMacRow = {
  readonly company: string;
  readonly credential_id: string;
  readonly secret_id: string;
  readonly lookup: string | null;
  readonly salt: string;
  readonly hash: string;
  readonly valid_until: number | null;
};

export function credentialFields(row: CredentialMacRow): MacFields {
  return credentialColumns.map((column) => row[column]);
}

/** They bind a hash to its credential: a hash of one cannot be copied to another. */
export function secretFields(row: SecretMacRow): MacFields {
  const { company, credential_id, secret_id, lookup, salt, hash, valid_until } = row;
  const fields = [company, credential_id, secret_id, lookup, salt, hash];
  // Only a rotated secret has an end.
  return valid_until === null ? fields : [...fields, valid_until];
}

export const signedCredentialTables: readonly SignedTable[] = [
  {
    name: 'credential',
    key: ['company', 'credential_id'],
    columns: credentialColumns,
    condition: 'revoked_at is null',
  },
  {
    name: 'credential_secret',
    key: ['company', 'credential_id', 'secret_id'],
    columns: ['lookup', 'salt', 'hash', 'valid_until'],
    condition: `exists (select 1 from credential c where c.company = credential_secret.company
      and c.credential_id = credential_secret.credential_id and c.revoked_at is null)`,
    fieldsOf: (row) => secretFields(row as SecretMacRow),
  },
];

type Marked<R> = R & { readonly row_mac: string | null };

const selected = credentialColumns.join(', ');
const findCredential = statement<Marked<CredentialMacRow>>(
  'find-credential-to-sign',
  `select ${selected}, row_mac from credential where credential_id = $1 and revoked_at is null`,
);
const findSecrets = statement<Marked<SecretMacRow>>(
  'find-secrets-to-sign',
  'select company, credential_id, secret_id, lookup, salt, hash, valid_until, row_mac from credential_secret where credential_id = $1',
);
const saveCredential = statement(
  'save-credential-mac',
  'update credential set row_mac = $3 where company = $1 and credential_id = $2',
);
const saveSecret = statement(
  'save-secret-mac',
  'update credential_secret set row_mac = $4 where company = $1 and credential_id = $2 and secret_id = $3',
);
const listIds = statement<{ readonly credential_id: string }>(
  'list-credentials-to-sign',
  'select credential_id from credential where revoked_at is null',
);

/** Throws `RowAltered`: a change would sign what was altered. */
export async function verifyCredential(session: Session, integrity: RowIntegrity, id: string): Promise<void> {
  for (const row of await session.query(findCredential, [id]))
    integrity.verify('credential', id, credentialFields(row), row.row_mac);
  for (const row of await session.query(findSecrets, [id]))
    integrity.verify('credential_secret', id, secretFields(row), row.row_mac);
}

export async function signCredential(session: Session, integrity: RowIntegrity, id: string): Promise<void> {
  for (const row of await session.query(findCredential, [id])) {
    const mac = integrity.sign('credential', credentialFields(row));
    await session.execute(saveCredential, [row.company, id, mac]);
  }
  for (const row of await session.query(findSecrets, [id])) {
    const mac = integrity.sign('credential_secret', secretFields(row));
    await session.execute(saveSecret, [row.company, id, row.secret_id, mac]);
  }
}

/** Compares the MACs of all credentials that are not revoked, also while rows without a MAC are accepted. */
export async function findAlteredCredentials(
  session: Session,
  integrity: RowIntegrity,
): Promise<readonly AlteredRow[]> {
  const altered: AlteredRow[] = [];
  for (const { credential_id: id } of await session.query(listIds, [])) {
    for (const row of await session.query(findCredential, [id]))
      if (!integrity.isRight('credential', credentialFields(row), row.row_mac))
        altered.push({ table: 'credential', tenant: row.company, id });
    for (const row of await session.query(findSecrets, [id]))
      if (!integrity.isRight('credential_secret', secretFields(row), row.row_mac))
        altered.push({ table: 'credential_secret', tenant: row.company, id });
  }
  return altered;
}
