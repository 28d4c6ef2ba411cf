/** The SQL statements of credentials. */

import { type RowOf, statement } from '../../stores/index.ts';
import type { credentialSecrets, credentials } from '../tables.ts';
import type { Bounds, Grants, StoredKind } from './credential-rules.ts';

type Row = Omit<RowOf<typeof credentials>, 'kind'> & { readonly kind: StoredKind };
type RowOfSecret = RowOf<typeof credentialSecrets>;

/** What a credential authorizes, and what binds it. */
type AuthorizationRow = Pick<Row, 'roles' | 'grants' | 'read_only' | 'expires_at' | 'networks' | 'certificates'>;

const authorizationColumns = 'c.roles, c.grants, c.read_only, c.expires_at, c.networks, c.certificates';

export function authorizationOf(row: AuthorizationRow) {
  return {
    roles: JSON.parse(row.roles) as readonly string[],
    grants: JSON.parse(row.grants) as Grants,
    readOnly: row.read_only === 1,
    ...boundsOf(row),
  };
}

export function boundsOf({ expires_at, networks, certificates }: AuthorizationRow): Bounds {
  const list = (text: string | null): readonly string[] | undefined => (text === null ? undefined : JSON.parse(text));
  return { expiresAt: expires_at ?? undefined, networks: list(networks), certificates: list(certificates) };
}

/** One live secret of a credential. */
export type SecretRow = Omit<Row, 'created_at' | 'revoked_at'> &
  Pick<RowOfSecret, 'lookup' | 'secret_id' | 'salt' | 'hash' | 'valid_until'> & { readonly secret_mac: string | null };

const secretColumns = `c.tenant, c.credential_id, ${authorizationColumns}, c.requires_key, c.tenant_partition,
          c.kind, c.username, c.row_mac, s.secret_id, s.lookup, s.salt, s.hash, s.valid_until, s.row_mac as secret_mac`;

/**
 * These two find the credential with the name or, where there is none, the next one in the order of names: so that a name that no
 * credential has costs the database the same work. The caller compares the name.
 */
export const findByUsername = statement<SecretRow>(
  'find-credential-by-username',
  `select ${secretColumns}
     from credential c
     join credential_secret s on s.tenant = c.tenant and s.credential_id = c.credential_id
    where c.revoked_at is null and c.username = coalesce(
      (select min(username) from credential where revoked_at is null and username >= $1),
      (select min(username) from credential where revoked_at is null))`,
);

export const findByLookup = statement<SecretRow>(
  'find-credential-by-lookup',
  `select ${secretColumns}
     from credential_secret s
     join credential c on c.tenant = s.tenant and c.credential_id = s.credential_id
    where c.revoked_at is null and s.lookup = coalesce(
      (select min(lookup) from credential_secret where lookup >= $1),
      (select min(lookup) from credential_secret))`,
);

export const findById = statement<SecretRow>(
  'find-credential-by-id',
  `select ${secretColumns}
     from credential c
     join credential_secret s on s.tenant = c.tenant and s.credential_id = c.credential_id
    where c.credential_id = $1 and c.revoked_at is null`,
);

/** One row for each secret of each credential. A credential without secrets has one row, with null in their columns. */
export type ListedRow = Omit<Row, 'tenant_partition' | 'row_mac'> &
  Pick<RowOfSecret, 'valid_until'> & {
    readonly secret_created_at: number | null;
    readonly last_used_at: number | null;
    readonly second_factor_at: number | null;
  };

export const listAll = statement<ListedRow>(
  'list-credentials',
  `select c.tenant, c.credential_id, c.kind, c.username, ${authorizationColumns}, c.requires_key, c.created_at,
          c.revoked_at, s.created_at as secret_created_at, s.valid_until, u.last_used_at,
          f.created_at as second_factor_at
     from credential c
     left join credential_use u on u.tenant = c.tenant and u.credential_id = c.credential_id
     left join second_factor f on f.tenant = c.tenant and f.credential_id = c.credential_id
     left join credential_secret s on s.tenant = c.tenant and s.credential_id = c.credential_id
    order by c.tenant, c.created_at, c.credential_id, s.created_at, s.secret_id`,
);

export type LiveRow = AuthorizationRow & Pick<Row, 'tenant' | 'kind' | 'username'>;

export const findLive = statement<LiveRow>(
  'find-live-credential',
  `select c.tenant, c.kind, c.username, ${authorizationColumns} from credential c where c.credential_id = $1 and c.revoked_at is null`,
);

/** Writes no row when a live credential has the username. */
export const addCredential = statement(
  'add-credential',
  `insert into credential (tenant, credential_id, kind, username, roles, grants, created_at, requires_key, tenant_partition,
                           read_only, expires_at, networks, certificates)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing`,
);

export const editCredential = statement(
  'edit-credential',
  `update credential set roles = $3, read_only = $4, expires_at = $5, networks = $6, certificates = $7
    where tenant = $1 and credential_id = $2 and revoked_at is null`,
);

/** Writes no row when another API key has the same secret, or another credential the same certificate in its place. */
export const addSecret = statement(
  'add-credential-secret',
  `insert into credential_secret (tenant, credential_id, secret_id, lookup, salt, hash, created_at, pepper_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
);

/** Writes no row where the secret was changed meanwhile. */
export const rehashSecret = statement(
  'rehash-credential-secret',
  `update credential_secret set salt = $5, hash = $6, lookup = $7, pepper_id = $8, row_mac = $9
    where tenant = $1 and credential_id = $2 and secret_id = $3 and hash = $4`,
);

export type OldSecretRow = { readonly tenant: string; readonly credential_id: string; readonly secrets: number };

/** The live credentials with a valid secret under another pepper. */
export const findOldSecrets = statement<OldSecretRow>(
  'find-secrets-of-other-peppers',
  `select s.tenant, s.credential_id, count(*) as secrets
     from credential_secret s
     join credential c on c.tenant = s.tenant and c.credential_id = s.credential_id
    where c.revoked_at is null and (s.valid_until is null or s.valid_until > $2) and s.pepper_id <> $1
    group by s.tenant, s.credential_id order by s.tenant, s.credential_id`,
);

/** Never extends the validity of a secret. */
export const endSecrets = statement(
  'end-credential-secrets',
  `update credential_secret set valid_until = $3
    where tenant = $1 and credential_id = $2 and (valid_until is null or valid_until > $3)`,
);

export const dropEndedSecrets = statement(
  'drop-ended-credential-secrets',
  'delete from credential_secret where tenant = $1 and credential_id = $2 and valid_until <= $3',
);

export const dropSecrets = statement(
  'drop-credential-secrets',
  'delete from credential_secret where tenant = $1 and credential_id = $2',
);

export const dropSecondFactor = statement(
  'drop-second-factor',
  'delete from second_factor where tenant = $1 and credential_id = $2',
);

export const revoke = statement(
  'revoke-credential',
  'update credential set revoked_at = $3, row_mac = null where tenant = $1 and credential_id = $2 and revoked_at is null',
);
