/** Limits deliveries to an endpoint: a few at the same time, and none while its circuit is open. */
import { CircuitBreaker } from '../../lib/circuit-breaker.ts';
import { monotonicClock } from '../../lib/clock.ts';
import { type Backoff, backoffMs } from '../../lib/retry.ts';

/** Send nothing for so many milliseconds; `because` is for people. */
export interface Deferred {
  readonly afterMs: number;
  readonly because: string;
  /** The endpoint failed recently; otherwise all of its slots are in use. */
  readonly isDown: boolean;
}

export interface EndpointLimiter {
  /** Takes a slot, after a short wait where all are in use. The caller gives a slot back with `leave`. */
  enter(endpointId: string): Promise<'go' | Deferred>;
  /** Gives the slot back. `failure`: why the delivery failed, if it did. */
  leave(endpointId: string, failure?: string): void;
}

export interface LimiterOptions {
  /** Deliveries to one endpoint at the same time. */
  readonly concurrencyMax: number;
  /** No delivery takes longer. */
  readonly deliveryMsMax: number;
}

const failuresMax = 5;
const openBackoff: Backoff = { firstMs: 1_000, maxMs: 60_000 };
const slotWaitMsMax = 500;
/** A delivery that finds no slot in that time is tried again after so long. */
const busyMs = 2_000;

interface EndpointState {
  inFlight: number;
  lastFailure: string;
  readonly breaker: CircuitBreaker;
  /** Each hands a slot to a delivery that waits for one; the first has waited the longest. */
  readonly queue: (() => void)[];
}

/** The limits hold for one process. */
export function createEndpointLimiter({ concurrencyMax, deliveryMsMax }: LimiterOptions): EndpointLimiter {
  const states = new Map<string, EndpointState>();
  function stateOf(endpointId: string): EndpointState {
    const state = states.get(endpointId) ?? createState(deliveryMsMax);
    states.set(endpointId, state);
    return state;
  }
  return Object.freeze<EndpointLimiter>({
    async enter(endpointId) {
      const state = stateOf(endpointId);
      if (state.inFlight < concurrencyMax) state.inFlight += 1;
      else if (!(await waitForSlot(state))) return { afterMs: busyMs, because: 'it is at others', isDown: false };
      const permit = state.breaker.tryAcquire();
      if (permit.isAllowed) return 'go';
      releaseSlot(state);
      return { afterMs: permit.retryAfterMs, because: state.lastFailure, isDown: true };
    },
    leave(endpointId, failure) {
      const state = stateOf(endpointId);
      if (failure === undefined) state.breaker.succeed();
      else {
        state.lastFailure = failure;
        state.breaker.fail();
      }
      releaseSlot(state);
      if (state.inFlight === 0 && !state.breaker.hasFailures) states.delete(endpointId);
    },
  });
}

function createState(deliveryMsMax: number): EndpointState {
  const breaker = new CircuitBreaker({
    clock: monotonicClock,
    failuresMax,
    openMs: (openings) => backoffMs(openings, openBackoff),
    probeMsMax: deliveryMsMax,
  });
  return { inFlight: 0, lastFailure: '', breaker, queue: [] };
}

/** Resolves to whether a slot came free in time. */
function waitForSlot({ queue }: EndpointState): Promise<boolean> {
  return new Promise((resolve) => {
    const takeSlot = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      queue.splice(queue.indexOf(takeSlot), 1);
      resolve(false);
    }, slotWaitMsMax);
    queue.push(takeSlot);
  });
}

/** Hands the slot to the delivery that has waited the longest. */
function releaseSlot(state: EndpointState): void {
  const next = state.queue.shift();
  if (next === undefined) state.inFlight -= 1;
  else next();
}
