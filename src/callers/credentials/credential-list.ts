/** Lists credentials without their secrets. */

import type { Session } from '../../store/sql/engine.ts';
import type { Grants, StoredKind } from './credential-rules.ts';
import * as sql from './credential-statements.ts';

/** A credential without its secrets. Times are milliseconds since the epoch. */
export interface ListedCredential {
  readonly id: string;
  readonly tenant: string;
  readonly kind: StoredKind;
  readonly username?: string | undefined;
  readonly roles: readonly string[];
  readonly grants: Grants;
  readonly requiresKey: boolean;
  readonly readOnly: boolean;
  readonly createdAt: number;
  readonly revokedAt?: number | undefined;
  readonly expiresAt?: number | undefined;
  readonly networks?: readonly string[] | undefined;
  readonly certificates?: readonly string[] | undefined;
  /** A row of it was changed in the database: it is refused. */
  readonly altered?: true;
  /** To the minute. Absent where it was not used yet. */
  readonly lastUsedAt?: number | undefined;
  /** `validUntil` is absent for the current secret. */
  readonly secrets: readonly { readonly createdAt: number; readonly validUntil?: number | undefined }[];
}

export async function listCredentials(session: Session): Promise<readonly ListedCredential[]> {
  const rows = await session.query(sql.listAll, []);
  return [...Map.groupBy(rows, (row) => row.credential_id).values()].map(listedOf);
}

/** `rows`: one for each secret. */
function listedOf(rows: readonly sql.ListedRow[]): ListedCredential {
  const row = rows[0]!;
  return {
    id: row.credential_id,
    tenant: row.tenant,
    kind: row.kind,
    username: row.username ?? undefined,
    requiresKey: row.requires_key === 1,
    createdAt: row.created_at,
    revokedAt: row.revoked_at ?? undefined,
    ...sql.authorizationOf(row),
    lastUsedAt: row.last_used_at ?? undefined,
    secrets: rows.flatMap(({ secret_created_at: createdAt, valid_until: validUntil }) =>
      createdAt === null ? [] : [{ createdAt, validUntil: validUntil ?? undefined }],
    ),
  };
}
