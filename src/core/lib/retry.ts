/** Retries with exponential backoff and jitter. */
import { setTimeout } from 'node:timers/promises';

export interface Backoff {
  /** The longest delay after the first attempt; it doubles with each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** `equal` draws from the upper half of the delay, `full` from all of it; `equal` where it is left out. */
  readonly jitter?: 'equal' | 'full';
}

/**
 * Returns the delay after this many attempts, in milliseconds. Jitter keeps callers that failed together from returning
 * together.
 */
export function backoffMs(attempts: number, { firstMs, maxMs, jitter = 'equal' }: Backoff): number {
  const longest = Math.min(firstMs * 2 ** Math.min(attempts - 1, 30), maxMs);
  return jitter === 'full' ? Math.random() * longest : (0.5 + Math.random() / 2) * longest;
}

/** How an attempt ended. */
export type AttemptResult<T> = { readonly value: T } | { readonly thrown: unknown };

interface RetryOptions<T> {
  /** Whether another attempt may help; not asked once the time is over. */
  readonly shouldRetry: (result: AttemptResult<T>, attempts: number) => boolean;
  readonly backoff: Backoff;
  /** For all attempts together. */
  readonly timeoutMs: number;
  /** Less time than this is not worth another attempt. */
  readonly attemptMsMin?: number;
}

/** Runs the attempt until it succeeds, or until `shouldRetry` or the time ends it; then its last result stands. */
export async function retry<T>(
  attempt: (remainingMs: number) => Promise<T>,
  { shouldRetry, backoff, timeoutMs, attemptMsMin = 0 }: RetryOptions<T>,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let attempts = 1; ; attempts += 1) {
    let result: AttemptResult<T>;
    try {
      result = { value: await attempt(deadline - performance.now()) };
    } catch (thrown) {
      result = { thrown };
    }
    const pauseMs = backoffMs(attempts, backoff);
    const hasTime = performance.now() + pauseMs + attemptMsMin < deadline;
    if (!hasTime || !shouldRetry(result, attempts)) {
      if ('thrown' in result) throw result.thrown;
      return result.value;
    }
    await setTimeout(pauseMs);
  }
}
