/** Opens the stores of callers on SQL and on Redis for one suite. */
import { writeUnaudited } from '../../src/access/audit/audited-write.ts';
import type { Clock } from '../../src/core/lib/clock-and-ids.ts';
import { type Comparisons, createComparisons } from '../../src/forward/comparisons.ts';
import { type CallerOwners, createCallerOwners } from '../../src/insight/callers/caller-owners.ts';
import type { RecordLimits, StoredCallerRecords } from '../../src/insight/callers/caller-record.ts';
import { createCallerRecords } from '../../src/insight/callers/caller-records.ts';
import { createDeprecationStore } from '../../src/insight/callers/deprecations.ts';
import type { DeprecationStore } from '../../src/insight/callers/stored-deprecation.ts';
import type { EngineFactory } from './store.ts';

export interface CallerStores {
  records(limits?: RecordLimits): StoredCallerRecords;
  owners(clock: Clock): CallerOwners;
  comparisons(clock: Clock): Comparisons;
  deprecations(clock: Clock): DeprecationStore;
  close(): Promise<void>;
}

/** Opens stores without rows. */
export type OpenCallers = () => Promise<CallerStores>;

export function sqlCallers({ open, dispose }: EngineFactory): OpenCallers {
  return async () => {
    const engine = await open();
    return {
      records: (limits) => createCallerRecords(engine, limits),
      owners: (clock) => createCallerOwners({ engine, clock }),
      comparisons: (clock) => createComparisons({ engine, clock }),
      deprecations: (clock) => createDeprecationStore({ engine, clock, write: writeUnaudited(engine) }),
      close: () => dispose(engine),
    };
  };
}
