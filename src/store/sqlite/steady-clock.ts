/** The clock of the embedded store: that of the system, but not where it jumps. */

/** Smaller corrections are followed: time servers make them. A wrong date is further off. */
const jumpMsMin = 5 * 60_000;

export interface TimeSource {
  /** Milliseconds since the epoch. */
  readonly wall: () => number;
  /** Milliseconds since any moment; never set. */
  readonly monotonic: () => number;
}

const system: TimeSource = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * Returns the present time in whole milliseconds since the epoch. Where the system's clock is set by more than a correction,
 * time goes on as before: keys and events must not expire early. It follows that clock again when both agree.
 */
export function createSteadyClock({ wall, monotonic }: TimeSource = system): () => number {
  let lastTime = wall();
  let lastMonotonic = monotonic();
  return () => {
    const monotonicNow = monotonic();
    const expected = lastTime + (monotonicNow - lastMonotonic);
    const found = wall();
    lastTime = Math.abs(found - expected) < jumpMsMin ? found : expected;
    lastMonotonic = monotonicNow;
    return Math.floor(lastTime);
  };
}
