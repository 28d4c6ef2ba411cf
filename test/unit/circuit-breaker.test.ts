/** The circuit breaker over any sequence of calls and clock readings, compared with a model. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CircuitBreaker } from '../../src/core/lib/circuit-breaker.ts';

const failuresMax = 5;
const probeMsMax = 700;
/** Each opening in a row lasts longer, up to a limit. */
const openMs = (openings: number): number => Math.min(1_000 * openings, 3_000);

type Step =
  | { readonly kind: 'acquire' | 'fail' | 'succeed' | 'release' }
  | { readonly kind: 'pass'; readonly ms: number };

interface Seen {
  readonly kind: 'allowed' | 'failed' | 'succeeded' | 'released';
  readonly at: number;
}

interface ModelState {
  readonly failures: number;
  /** From when calls are allowed again: after the time open, and after the time of a probe. */
  readonly openUntil: number;
  readonly probeUntil: number;
}

const initial: ModelState = { failures: 0, openUntil: 0, probeUntil: 0 };

const next = (state: ModelState, { kind, at }: Seen): ModelState => {
  switch (kind) {
    case 'succeeded':
      return initial;
    case 'allowed':
      return state.failures < failuresMax ? state : { ...state, probeUntil: at + probeMsMax };
    case 'released':
      return { ...state, probeUntil: 0 };
    case 'failed': {
      if (at < state.openUntil) return state;
      const failures = state.failures + 1;
      const openings = failures - failuresMax + 1;
      return { failures, openUntil: openings > 0 ? at + openMs(openings) : 0, probeUntil: 0 };
    }
    default:
      return kind satisfies never;
  }
};

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('acquire' as const) }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('fail' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('succeed' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('pass' as const),
        ms: fc.constantFrom(0, 1, 50, 699, 700, 999, 1_000, 5_000),
      }),
    },
  ),
  { maxLength: 60, size: 'max' },
);

const createBreaker = (start: number) => {
  const time = { now: start };
  const breaker = new CircuitBreaker({ clock: { now: () => time.now }, failuresMax, openMs, probeMsMax });
  return { time, breaker };
};

const createOpenBreaker = (start: number) => {
  const { time, breaker } = createBreaker(start);
  for (let failures = 0; failures < failuresMax; failures += 1) breaker.fail();
  return { time, breaker };
};

/** Compares without `expect`, which would take longer than the steps of 2,000 sequences. */
const expectSame = (found: unknown, expected: unknown): void => {
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
};

describe('the circuit breaker', () => {
  test('decides as the model does, for every sequence', () => {
    const reached = { refused: 0, probed: 0, reopened: 0 };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 42 }), steps, (start, sequence: Step[]) => {
        const { time, breaker } = createBreaker(start);
        let model = initial;
        for (const step of sequence) {
          switch (step.kind) {
            case 'pass':
              time.now += step.ms;
              break;
            case 'fail':
              breaker.fail();
              model = next(model, { kind: 'failed', at: time.now });
              break;
            case 'succeed':
              breaker.succeed();
              model = next(model, { kind: 'succeeded', at: time.now });
              break;
            case 'release':
              breaker.release();
              model = next(model, { kind: 'released', at: time.now });
              break;
            case 'acquire': {
              const waitMs =
                Math.max(model.openUntil > time.now ? model.openUntil : model.probeUntil, time.now) - time.now;
              const isOpen = model.failures >= failuresMax;
              const permit = breaker.tryAcquire();
              expectSame(
                permit,
                isOpen && waitMs > 0 ? { isAllowed: false, retryAfterMs: waitMs } : { isAllowed: true },
              );
              if (!permit.isAllowed) reached.refused += 1;
              if (permit.isAllowed && isOpen) reached.probed += 1;
              if (permit.isAllowed && model.failures > failuresMax) reached.reopened += 1;
              if (permit.isAllowed) model = next(model, { kind: 'allowed', at: time.now });
              break;
            }
            default:
              step satisfies never;
          }
          expectSame([breaker.isOpen, breaker.hasFailures], [model.failures >= failuresMax, model.failures > 0]);
        }
      }),
      { numRuns: 2_000 },
    );
    // The sequences reach the states under test.
    expect(reached.refused).toBeGreaterThan(100);
    expect(reached.probed).toBeGreaterThan(100);
    expect(reached.reopened).toBeGreaterThan(20);
  });
  test('lets one probe through at a time, of any number of calls', () => {
    const { time, breaker } = createOpenBreaker(0);
    time.now = 999;
    expect(breaker.tryAcquire()).toEqual({ isAllowed: false, retryAfterMs: 1 });
    time.now = 1_000;
    expect(breaker.tryAcquire().isAllowed).toBe(true);
    expect(breaker.tryAcquire()).toEqual({ isAllowed: false, retryAfterMs: probeMsMax });
    time.now += probeMsMax - 1;
    expect(breaker.tryAcquire()).toEqual({ isAllowed: false, retryAfterMs: 1 });
    time.now += 1;
    expect(breaker.tryAcquire().isAllowed).toBe(true);
  });
  test('a failed probe opens the circuit again, a successful one closes it', () => {
    const { time, breaker } = createOpenBreaker(0);
    time.now = 1_000;
    expect(breaker.tryAcquire().isAllowed).toBe(true);
    breaker.fail();
    expect(breaker.tryAcquire()).toEqual({ isAllowed: false, retryAfterMs: 2_000 });
    time.now += 2_000;
    expect(breaker.tryAcquire().isAllowed).toBe(true);
    breaker.succeed();
    expect([breaker.isOpen, breaker.hasFailures]).toEqual([false, false]);
    expect([breaker.tryAcquire().isAllowed, breaker.tryAcquire().isAllowed]).toEqual([true, true]);
  });
  test('a clock set back by days does not keep it open', () => {
    const day = 86_400_000;
    const back = createOpenBreaker(2 * day);
    back.time.now = 0;
    expect(back.breaker.tryAcquire().isAllowed).toBe(true);
    const forward = createOpenBreaker(0);
    forward.time.now = 2 * day;
    expect(forward.breaker.tryAcquire().isAllowed).toBe(true);
  });
});
