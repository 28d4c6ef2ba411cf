/** Checks the encryption keys on a stored payment instrument. */
import type { ReadTransaction } from '../../store/transaction.ts';
import type { Vault } from '../../vault/ports.ts';
import { isKnownTo } from './payment-instruments/secrets.ts';
import { ResourceReader } from './store/repository.ts';

/** Returns whether the keys are those of the stored instruments; true if there is none. Throws if one does not open. */
export async function keysOpenInstruments(tx: ReadTransaction, vault: Vault): Promise<boolean> {
  const sample = await tx.repository(ResourceReader).findInstrumentSample();
  return sample === undefined || isKnownTo(sample, vault);
}
