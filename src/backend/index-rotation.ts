/** The rotation of the index key: what is computed anew, and what still needs the old key. */

import type { OtherState, Vault } from '../core/vault/index.ts';
import {
  type AlteredRow,
  createReindexers,
  type Engine,
  findUnaliasedRecords,
  findWrongFingerprints,
  type Reindexed,
  reindex,
  type Store,
  type Table,
  type UnaliasedRecords,
} from '../stores/index.ts';

export function createIndexRotation(
  { engine, store, vault }: { readonly engine: Engine; readonly store: Store; readonly vault: Vault },
  tables: readonly Table[],
  state: OtherState | undefined,
) {
  const reindexers = createReindexers(tables, vault);
  return Object.freeze({
    /** Of the second index key; undefined where there is one key. */
    state,
    /** Computes fingerprints and aliases under the current key. `changed`: called with the number of changed records. */
    run: (changed: (rows: number) => void): Promise<Reindexed> => reindex(store, reindexers, changed),
    /** Compares all fingerprints with what is sealed. Returns at most `max` rows. */
    findWrongFingerprints: (max: number): Promise<readonly AlteredRow[]> =>
      findWrongFingerprints(store, reindexers, max),
    /** The idempotency records that only the old key finds. They expire by themselves. */
    findRecords: (): Promise<UnaliasedRecords> => findUnaliasedRecords(engine),
  });
}
