/** Finds credentials by their id, for those who have proved a secret before: sessions. */

import type { Caller } from '../../core/contract/index.ts';
import { type Clock, cacheReads } from '../../core/lib/index.ts';
import type { Engine, RowIntegrity } from '../../stores/index.ts';
import { type CredentialBounds, type CredentialOrigin, createBounds } from './credential-bounds.ts';
import { boundsOf, findById, type SecretRow } from './credential-statements.ts';
import { cacheMsMax, callerOf, verifyCredentialRow } from './credentials.ts';

interface LiveCredential {
  readonly caller: Caller;
  /** The ids of its valid secrets. */
  readonly secrets: readonly string[];
}

export interface LiveCredentials {
  /** Returns undefined for a credential that is revoked, expired, without a valid secret, or bound to another origin. */
  find(id: string, origin: CredentialOrigin): Promise<LiveCredential | undefined>;
}

interface Found {
  readonly rows: readonly SecretRow[];
  readonly bounds: CredentialBounds;
  readonly caller: Caller;
}

/** A credential that was read is believed for a second, as that of a request is. */
export function createLiveCredentials(engine: Engine, clock: Clock, integrity: RowIntegrity): LiveCredentials {
  const read = async (id: string): Promise<Found | undefined> => {
    const rows = await engine.read((session) => session.query(findById, [id]));
    for (const row of rows) verifyCredentialRow(integrity, row);
    const [first] = rows;
    return first && { rows, bounds: createBounds(boundsOf(first)), caller: callerOf(first) };
  };
  const cached = cacheReads(read, { clock, msMax: cacheMsMax, max: cachedMax });
  return Object.freeze<LiveCredentials>({
    async find(id, origin) {
      const found = await cached.find(id);
      const now = clock.now();
      if (found === undefined || found.bounds.refuse(origin, now) !== undefined) return undefined;
      const valid = found.rows.filter(({ valid_until }) => valid_until === null || now < valid_until);
      return valid.length === 0 ? undefined : { caller: found.caller, secrets: valid.map((row) => row.secret_id) };
    },
  });
}

const cachedMax = 100;
