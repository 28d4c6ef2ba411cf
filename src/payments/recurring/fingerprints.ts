/** Finds records by fingerprint. During a rotation of the index key there are two of each card: under each key one. */
import type { Vault } from '../../core/vault/index.ts';
import { cardIdentity } from './instrument.ts';

/** The fingerprints that a card may be stored under, that of new records first. `known`: what was stored of it earlier. */
export function cardFingerprints(number: string, company: string, vault: Vault, known: string): readonly string[] {
  return [...new Set([...vault.fingerprints(company, cardIdentity(number)), known])];
}

/** Most lists that are found by a fingerprint are this long at most. */
const rowsMax = 100;

/** Oldest first, as each of the lists is. */
export async function findUnderEach<T>(
  fingerprints: readonly string[],
  find: (fingerprint: string) => Promise<readonly T[]>,
  createdAt: (found: T) => number,
  max = rowsMax,
): Promise<readonly T[]> {
  const [only, ...others] = fingerprints;
  if (only === undefined) return [];
  const found = [...(await find(only))];
  if (others.length === 0) return found;
  for (const each of others) found.push(...(await find(each)));
  return found.sort((a, b) => createdAt(a) - createdAt(b)).slice(0, max);
}
