/** Hashes secrets anew under the current pepper: only their owners know them, so it happens when they are used. */

import type { Caller } from '../../core/contract/index.ts';
import type { Clock } from '../../core/lib/index.ts';
import { type Engine, type RowIntegrity, signRow } from '../../stores/index.ts';
import { credentialSecrets } from '../tables.ts';
import type { StoredKind } from './credential-rules.ts';
import { findOldSecrets, type OldSecretRow, rehashSecret } from './credential-statements.ts';
import { hashSecret, lookupFor, type PepperKeys, type StoredSecret } from './secret-hash.ts';

/** Starts the write, and does not wait for it. */
export type Rehasher = (caller: Caller, stored: StoredSecret, kind: StoredKind, secret: string) => void;

export function createRehasher(engine: Engine, keys: PepperKeys, integrity: RowIntegrity): Rehasher {
  return ({ tenant, credential }, stored, kind, secret) => {
    const { salt, hash } = hashSecret(keys, secret);
    const before = stored.hash.toString('base64url');
    const row = {
      tenant,
      credential_id: credential,
      secret_id: stored.id,
      lookup: lookupFor(kind, keys, secret),
      salt: salt.toString('base64url'),
      hash: hash.toString('base64url'),
      valid_until: stored.validUntil,
    };
    const mac = signRow(integrity, credentialSecrets, row);
    const values = [tenant, credential, stored.id, before, row.salt, row.hash, row.lookup, keys.id, mac];
    engine
      .write((session) => session.execute(rehashSecret, values))
      // The old pepper still verifies the secret, and its next use tries again.
      .catch(() => {});
  };
}

/** The credentials with secrets that only another pepper verifies. */
export function findCredentialsOfOtherPeppers(
  engine: Engine,
  { id }: PepperKeys,
  clock: Clock,
): Promise<readonly OldSecretRow[]> {
  return engine.read((session) => session.query(findOldSecrets, [id, clock.now()]));
}
