/** What counts events beyond the memory of a process: Redis and the store. */

/** The rule of a limit, as far as its counts depend on it. */
export interface CountRule {
  readonly name: string;
  readonly max: number;
  readonly windowMs: number;
  /** From the last event that the limit allows; to the end of the window where it is absent. */
  readonly blockMs?: number;
}

/** No window and no block of the rule is longer. */
export function longestMs({ windowMs, blockMs = windowMs }: CountRule): number {
  return Math.max(windowMs, blockMs);
}

/** An event of a subject. Both are keyed hashes. */
export interface SharedEvent {
  readonly rule: CountRule;
  readonly subject: string;
  /** Counts once in a window. */
  readonly member?: string | undefined;
}

/** The sum of a subject over all processes. */
export interface SharedCount {
  readonly count: number;
  /** Milliseconds until the count begins again, or the block ends. */
  readonly leftMs: number;
}

export interface SharedCounts {
  /** Counts an event, and returns the sum; undefined where it cannot be counted now. Never rejects. */
  add(event: SharedEvent): Promise<SharedCount | undefined>;
}

/** A sum, with its limit and its subject. */
export interface StoredCount extends SharedCount {
  readonly name: string;
  readonly subject: string;
}

/** The counts in the store, which outlive the process. */
export interface StoredCounts extends SharedCounts {
  /** Other processes change them, so they are read again and again. */
  readonly isShared: boolean;
  /** The sums that were changed since the last call. Throws `StoreUnavailable`. */
  readChanges(): Promise<readonly StoredCount[]>;
}
