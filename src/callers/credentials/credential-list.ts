/** Lists credentials without their secrets. */

import type { Session } from '../../store/sql/engine.ts';
import { fieldsOf } from '../../store/sql/row-values.ts';
import * as sql from './credential-statements.ts';

/** A credential without its secrets. Times are milliseconds since the epoch. `altered`: a row of it was changed in the database, so it is refused. */
export type ListedCredential = ReturnType<typeof listedOf> & { readonly altered?: true };

export async function listCredentials(session: Session): Promise<readonly ListedCredential[]> {
  const rows = await session.query(sql.listAll, []);
  return [...Map.groupBy(rows, (row) => row.credential_id).values()].map(listedOf);
}

/** `rows`: one for each secret. `lastUsedAt` is to the minute. A current secret has no `validUntil`. */
function listedOf(rows: readonly sql.ListedRow[]) {
  const row = rows[0]!;
  const { credentialId: id, tenant, kind, username, requiresKey, createdAt, revokedAt, lastUsedAt } = fieldsOf(row);
  return {
    ...{ id, tenant, kind, username, requiresKey: requiresKey === 1, createdAt, revokedAt },
    ...sql.authorizationOf(row),
    lastUsedAt,
    secrets: rows.flatMap(({ secret_created_at: createdAt, valid_until: validUntil }) =>
      createdAt === null ? [] : [{ createdAt, validUntil: validUntil ?? undefined }],
    ),
  };
}
