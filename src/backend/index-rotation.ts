/** The rotation of the index key: what is computed anew, and what still needs the old key. */

import { findWrongFingerprints, type Reindexed, type Reindexer, reindex } from '../store/reindex.ts';
import type { AlteredRow } from '../store/row-integrity.ts';
import type { Engine } from '../store/sql/engine.ts';
import { findUnaliasedRecords, type UnaliasedRecords } from '../store/sql/idempotency-records.ts';
import type { Store } from '../store/store.ts';
import type { OtherState } from '../vault/key-lines.ts';

export interface IndexRotation {
  /** Of the second index key; undefined where there is one key. */
  readonly state: OtherState | undefined;
  /** Computes fingerprints and aliases under the current key. `changed`: called with the number of changed records. */
  run(changed: (rows: number) => void): Promise<Reindexed>;
  /** Compares all fingerprints with what is sealed. Returns at most `max` rows. */
  findWrongFingerprints(max: number): Promise<readonly AlteredRow[]>;
  /** The idempotency records that only the old key finds. They expire by themselves. */
  findRecords(): Promise<UnaliasedRecords>;
}

export function createIndexRotation(
  engine: Engine,
  store: Store,
  reindexers: readonly Reindexer[],
  state: OtherState | undefined,
): IndexRotation {
  return Object.freeze<IndexRotation>({
    state,
    run: (changed) => reindex(store, reindexers, changed),
    findWrongFingerprints: (max) => findWrongFingerprints(store, reindexers, max),
    findRecords: () => findUnaliasedRecords(engine),
  });
}
