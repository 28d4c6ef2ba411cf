/** When to leave something outside alone: after failures in a row it is skipped for a while, then tried once, and so on. */

export interface CircuitBreaker {
  /** In a row, counted up to `failuresMax`; there the breaker is open. */
  readonly failures: number;
  /** Milliseconds of the clock before which it is skipped while the breaker is open. */
  readonly skipUntil: number;
}

export const failuresMax = 5;
export const skipMs = 1_000;

export const closedBreaker: CircuitBreaker = Object.freeze({ failures: 0, skipUntil: 0 });

export const isOpen = ({ failures }: CircuitBreaker): boolean => failures >= failuresMax;

/** Whether it may be asked now. While open, who may ask is the one try: the others wait for another while. */
export const ask = (
  breaker: CircuitBreaker,
  now: number,
): { readonly may: boolean; readonly breaker: CircuitBreaker } => {
  if (!isOpen(breaker)) return { may: true, breaker };
  // A clock that was set back must not prolong it.
  const skipping = now < breaker.skipUntil && breaker.skipUntil - now <= skipMs;
  return skipping ? { may: false, breaker } : { may: true, breaker: { ...breaker, skipUntil: now + skipMs } };
};

export const failed = ({ failures }: CircuitBreaker, now: number): CircuitBreaker => ({
  failures: Math.min(failures + 1, failuresMax),
  skipUntil: now + skipMs,
});

export const succeeded = (): CircuitBreaker => closedBreaker;
