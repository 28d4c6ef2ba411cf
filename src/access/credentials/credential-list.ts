/** Lists credentials without their secrets. */

import { fieldsOf, type Session } from '../../stores/index.ts';
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
  /** When its second factor was set up. Absent where it has none. */
  readonly secondFactorAt?: number | undefined;
  /** `validUntil` is absent for the current secret. */
  readonly secrets: readonly { readonly createdAt: number; readonly validUntil?: number | undefined }[];
}

export async function listCredentials(session: Session): Promise<readonly ListedCredential[]> {
  const rows = await session.query(sql.listAll, []);
  return [...Map.groupBy(rows, (row) => row.credential_id).values()].map(listedOf);
}

/** `rows`: one for each secret. `lastUsedAt` is to the minute. A current secret has no `validUntil`. */
function listedOf(rows: readonly sql.ListedRow[]): ListedCredential {
  const row = rows[0]!;
  const {
    credentialId: id,
    tenant,
    kind,
    username,
    requiresKey,
    createdAt,
    revokedAt,
    lastUsedAt,
    secondFactorAt,
  } = fieldsOf(row);
  return {
    ...{ id, tenant, kind, username, requiresKey: requiresKey === 1, createdAt, revokedAt },
    ...sql.authorizationOf(row),
    lastUsedAt,
    secondFactorAt,
    secrets: rows.flatMap(({ secret_created_at: createdAt, valid_until: validUntil }) =>
      createdAt === null ? [] : [{ createdAt, validUntil: validUntil ?? undefined }],
    ),
  };
}
