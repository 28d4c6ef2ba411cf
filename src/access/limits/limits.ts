/** The quotas of a process: what they share, what the store remembers of them, and who hears when one is reached. */
import { type Clock, neverBack } from '../../core/lib/index.ts';
import { type HashKey, Quota, type QuotaReached, type QuotaRule } from './quota.ts';
import type { SharedCount, SharedCounts, SharedEvent, StoredCounts } from './shared-counts.ts';

export type Limits = ReturnType<typeof createLimits>;

/** Between two calls of `refresh`: so long a process may not know of a lock that another one has set. */
export const refreshLimitsEveryMs = 1_000;

/** `clock`: may be set, which frees nothing where it is set back. `stored`: absent where nothing outlives the process. */
export function createLimits(clock: Clock, hash: HashKey, stored?: StoredCounts) {
  const quotas = new Map<string, Quota>();
  let shared: SharedCounts | undefined;
  let listener: (event: QuotaReached) => void = () => {};
  const parts = {
    clock: neverBack(clock),
    hash,
    onReached: (event: QuotaReached) => listener(event),
    add: (event: SharedEvent) => addTo([shared, stored], event),
  };
  return Object.freeze({
    hash,
    /** Measures windows and locks; is never set back. */
    clock: parts.clock,
    quota(rule: QuotaRule): Quota {
      const quota = new Quota(rule, parts);
      quotas.set(rule.name, quota);
      return quota;
    },
    /** From now on the events are counted there instead of in the store, for as long as it answers. */
    share(counts: SharedCounts): void {
      shared = counts;
    },
    /** Counts an event beyond this process, where more than its store is shared. Resolves with undefined where it cannot. */
    countShared: async (event: SharedEvent): Promise<SharedCount | undefined> => shared?.add(event),
    /** There is one listener at most. */
    listen(next: (event: QuotaReached) => void): void {
      listener = next;
    },
    /** Other processes count in the same store, so `refresh` must be called again and again. */
    isStoreShared: stored?.isShared ?? false,
    /** Tells the quotas what the store knows: at the start, and what other processes have counted since. Throws `StoreUnavailable`. */
    async refresh(): Promise<void> {
      for (const { name, subject, ...sum } of (await stored?.readChanges()) ?? [])
        quotas.get(name)?.learn(subject, sum);
    },
  });
}

/** Adds an event to the first of the counts that answers. */
async function addTo(all: readonly (SharedCounts | undefined)[], event: SharedEvent): Promise<SharedCount | undefined> {
  for (const counts of all) {
    const sum = await counts?.add(event);
    if (sum !== undefined) return sum;
  }
  return undefined;
}

/** The metric that counts reached limits by their name. */
export const limitCounter = {
  name: 'triglyph_limits_reached_total',
  help: 'Callers, names and addresses that have reached a limit, by limit. Their further requests are refused for a while.',
};
