/** Checks the encryption keys on stored resources. */
import type { ReadTransaction } from '../../store/transaction.ts';
import type { Vault } from '../../vault/ports.ts';
import { resourceKinds } from './resources.ts';
import { ResourceReader } from './store/repository.ts';

/** Returns whether the keys are those of the sealed numbers; true if there is none. Throws if one does not open. */
export async function keysOpenResources(tx: ReadTransaction, vault: Vault): Promise<boolean> {
  const reader = tx.repository(ResourceReader);
  for (const kind of resourceKinds) {
    const sample = kind.sealed && (await reader.findAny(kind));
    if (sample !== undefined && !kind.sealed?.isKnownTo(sample, vault)) return false;
  }
  return true;
}
