/** The breaker over any sequence of answers and clock readings, beside a model that keeps the whole history. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ask, type CircuitBreaker, closedBreaker, failed, isOpen, succeeded } from '../../src/lib/circuit-breaker.ts';

type Step = { readonly kind: 'ask' | 'fail' | 'succeed' } | { readonly kind: 'pass'; readonly ms: number };

interface Seen {
  readonly kind: 'went' | 'failed' | 'succeeded';
  readonly at: number;
}

/** Five failures or more since the last success. */
const openBy = (history: readonly Seen[]): boolean => {
  const last = history.findLastIndex(({ kind }) => kind === 'succeeded');
  return history.slice(last + 1).filter(({ kind }) => kind === 'failed').length >= 5;
};

/** When the while began that Redis is left alone for: with the last failure, or with a try after it. */
const leftAloneSince = (history: readonly Seen[]): number => {
  const lastFailure = history.findLastIndex(({ kind }) => kind === 'failed');
  return Math.max(...history.slice(lastFailure).map(({ at }) => at));
};

const mayAsk = (history: readonly Seen[], now: number): boolean =>
  !openBy(history) || now - leftAloneSince(history) >= 1_000;

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('ask' as const) }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('fail' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('succeed' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('pass' as const),
        ms: fc.constantFrom(0, 1, 50, 499, 999, 1_000, 5_000),
      }),
    },
  ),
  { maxLength: 60, size: 'max' },
);

const tripped = (now: number): CircuitBreaker =>
  Array.from({ length: 5 }).reduce<CircuitBreaker>((breaker) => failed(breaker, now), closedBreaker);

describe('the breaker', () => {
  test('says of every sequence what the model says', () => {
    const seen = { refused: 0, tried: 0 };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 42 }), steps, (start, sequence: Step[]) => {
        let now = start;
        let breaker = closedBreaker;
        const history: Seen[] = [];
        for (const step of sequence) {
          switch (step.kind) {
            case 'pass':
              now += step.ms;
              break;
            case 'fail':
              breaker = failed(breaker, now);
              history.push({ kind: 'failed', at: now });
              break;
            case 'succeed':
              breaker = succeeded();
              history.push({ kind: 'succeeded', at: now });
              break;
            case 'ask': {
              const expected = mayAsk(history, now);
              const asked = ask(breaker, now);
              expect(asked.may).toBe(expected);
              breaker = asked.breaker;
              if (!expected) seen.refused += 1;
              if (expected && openBy(history)) seen.tried += 1;
              if (expected) history.push({ kind: 'went', at: now });
              break;
            }
            default:
              step satisfies never;
          }
          expect(isOpen(breaker)).toBe(openBy(history));
        }
      }),
      { numRuns: 2_000 },
    );
    // The sequences do reach what they are about.
    expect(seen.refused).toBeGreaterThan(100);
    expect(seen.tried).toBeGreaterThan(100);
  });
  test('lets one try through at a time, of any number that ask together', () => {
    const first = ask(tripped(0), 1_000);
    expect(first.may).toBe(true);
    expect(ask(first.breaker, 1_000).may).toBe(false);
    expect(ask(first.breaker, 1_999).may).toBe(false);
    expect(ask(first.breaker, 2_000).may).toBe(true);
  });
  test('a clock set back by days does not keep it open', () => {
    const day = 86_400_000;
    expect(ask(tripped(2 * day), 0).may).toBe(true);
    expect(ask(tripped(0), 2 * day).may).toBe(true);
    expect(ask(tripped(0), 999).may).toBe(false);
  });
});
