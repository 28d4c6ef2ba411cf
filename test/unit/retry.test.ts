/** Retries: how often, how long between them, and what ends them. */
import { describe, expect, test } from '@jest/globals';
import { backoffMs, retry } from '../../src/core/lib/retry.ts';

describe('the backoff', () => {
  const spread = (attempts: number, jitter?: 'equal' | 'full') => {
    const drawn = Array.from({ length: 500 }, () =>
      backoffMs(attempts, { firstMs: 100, maxMs: 1_000, ...(jitter && { jitter }) }),
    );
    return { least: Math.min(...drawn), most: Math.max(...drawn) };
  };

  test.each([
    [1, 100],
    [2, 200],
    [3, 400],
    [4, 800],
    [5, 1_000],
    [5_000, 1_000],
  ])('after %i attempts lies in the upper half of %i ms', (attempts, longest) => {
    const { least, most } = spread(attempts);
    expect(least).toBeGreaterThanOrEqual(longest / 2);
    expect(least).toBeLessThan(longest * 0.6);
    expect(most).toBeLessThanOrEqual(longest);
    expect(most).toBeGreaterThan(longest * 0.9);
  });

  test('with full jitter starts at zero', () => {
    const { least, most } = spread(3, 'full');
    expect(least).toBeLessThan(40);
    expect(most).toBeLessThanOrEqual(400);
    expect(most).toBeGreaterThan(360);
  });
});

describe('a retried call', () => {
  const backoff = { firstMs: 1, maxMs: 2 };

  /** Fails the given number of times, each with its own error, then succeeds. */
  const failing = (times: number) => {
    const thrown: Error[] = [];
    const attempt = async (): Promise<string> => {
      if (thrown.length === times) return 'done';
      thrown.push(new Error(`attempt ${thrown.length + 1}`));
      throw thrown.at(-1);
    };
    return { attempt, thrown };
  };

  test('returns the first success', async () => {
    const { attempt, thrown } = failing(3);
    const result = await retry(attempt, { shouldRetry: (last) => 'thrown' in last, backoff, timeoutMs: 5_000 });
    expect({ result, failures: thrown.length }).toEqual({ result: 'done', failures: 3 });
  });

  test('throws the last error where a retry cannot help', async () => {
    const { attempt, thrown } = failing(9);
    const result = retry(attempt, { shouldRetry: (_, attempts) => attempts < 3, backoff, timeoutMs: 5_000 });
    await expect(result).rejects.toThrow('attempt 3');
    await expect(result).rejects.toBe(thrown[2]);
  });

  test('returns a retryable value after the last attempt', async () => {
    const values = ['busy', 'busy again', 'never asked for'];
    const result = retry(async () => values.shift(), {
      shouldRetry: (last, attempts) => 'value' in last && attempts < 2,
      backoff,
      timeoutMs: 5_000,
    });
    expect(await result).toBe('busy again');
  });

  test('starts no attempt that the remaining time does not allow', async () => {
    const { attempt, thrown } = failing(9);
    const options = { shouldRetry: () => true, backoff, timeoutMs: 50, attemptMsMin: 50 };
    await expect(retry(attempt, options)).rejects.toThrow('attempt 1');
    expect(thrown).toHaveLength(1);
  });

  test('passes the remaining time to each attempt', async () => {
    const left: number[] = [];
    await retry(
      async (remainingMs) => {
        left.push(remainingMs);
      },
      { shouldRetry: (_, attempts) => attempts < 3, backoff: { firstMs: 20, maxMs: 20 }, timeoutMs: 5_000 },
    );
    expect(left).toHaveLength(3);
    expect(left[0]).toBeLessThanOrEqual(5_000);
    expect(left[1]! - left[2]!).toBeGreaterThanOrEqual(9);
  });
});
