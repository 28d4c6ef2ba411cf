/** Checks the encryption keys on a stored detail. */
import type { ReadTransaction } from '../../store/transaction.ts';
import type { Vault } from '../../vault/ports.ts';
import { DetailReader } from './store/repository.ts';

/** Returns whether the keys are those of the stored details; true if there is none. Throws if one does not open. */
export async function keysOpenDetails(tx: ReadTransaction, vault: Vault): Promise<boolean> {
  const sample = await tx.repository(DetailReader).findSample();
  if (sample === undefined) return true;
  const { company, detail } = sample;
  const { recurringDetailReference, sealed, publicData } = detail;
  const part = sealed.number === undefined ? 'payload' : 'number';
  const text = vault.open({ tenant: company, record: recurringDetailReference }, sealed, part);
  // Under another index key every card would get a new alias, and be stored twice.
  return part === 'payload' || vault.aliases(company, text).includes(publicData.alias ?? '');
}
