/** Who may be tried now: an endpoint gets a few deliveries at a time, and a rest while it does not take any. */
import { backoffMs } from '../jobs/worker.ts';

/** Nothing is sent for so many milliseconds; `because` is for people. */
export interface Deferred {
  readonly afterMs: number;
  readonly because: string;
  /** It took none of late; else it is at others. */
  readonly isDown: boolean;
}

export interface EndpointLimiter {
  /** Waits for a turn for a little while. */
  enter(endpointId: string): Promise<'go' | Deferred>;
  /** Gives the turn back. `failure`: why it was not taken, where it was not. */
  leave(endpointId: string, failure?: string): void;
}

export interface LimiterOptions {
  /** Deliveries to one endpoint at the same time. */
  readonly atOnceMax: number;
  /** No delivery takes longer. */
  readonly deliveryMsMax: number;
}

/** After so many failures in a row it rests; then one delivery is tried. */
const failuresMax = 5;
const restMs = { first: 1_000, most: 60_000 };
/** How long a turn is waited for. */
const waitMsMax = 500;
/** What finds no turn in that time comes again after so long. */
const busyMs = 2_000;

interface State {
  underWay: number;
  failures: number;
  lastFailure: string;
  /** By `performance.now()`. */
  restsUntil: number;
  trying: boolean;
  /** Tells the first in the line that there is a turn. */
  readonly line: (() => void)[];
}

const fresh = (): State => ({
  underWay: 0,
  failures: 0,
  lastFailure: '',
  restsUntil: 0,
  trying: false,
  line: [],
});

/** Whether a turn came. */
const waitForSlot = ({ line }: State): Promise<boolean> =>
  new Promise((resolve) => {
    const called = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      line.splice(line.indexOf(called), 1);
      resolve(false);
    }, waitMsMax);
    line.push(called);
  });

/** Gives the turn to the first in the line, or back. */
const releaseSlot = (state: State): void => {
  const next = state.line.shift();
  if (next === undefined) state.underWay -= 1;
  else next();
};

/** Those that were under way together fail together: that is one failure more, not several. */
const noteFailure = (state: State, why: string): void => {
  const now = performance.now();
  state.lastFailure = why;
  if (state.restsUntil > now) return;
  state.failures += 1;
  if (state.failures >= failuresMax)
    state.restsUntil = now + backoffMs(state.failures - failuresMax + 1, restMs.first, restMs.most);
};

const noteSuccess = (state: State): void => {
  state.failures = 0;
  state.restsUntil = 0;
};

/** Of one process. */
export const createEndpointLimiter = ({ atOnceMax, deliveryMsMax }: LimiterOptions): EndpointLimiter => {
  const states = new Map<string, State>();
  const stateOf = (endpointId: string): State => {
    const state = states.get(endpointId) ?? fresh();
    states.set(endpointId, state);
    return state;
  };
  /** Why nothing is sent now, although there is a turn. */
  const spared = ({ restsUntil, trying, lastFailure: because }: State): Deferred | undefined => {
    const restingMs = restsUntil - performance.now();
    if (restingMs > 0) return { afterMs: restingMs, because, isDown: true };
    return trying ? { afterMs: deliveryMsMax, because, isDown: true } : undefined;
  };
  return Object.freeze<EndpointLimiter>({
    async enter(endpointId) {
      const state = stateOf(endpointId);
      if (state.underWay < atOnceMax) state.underWay += 1;
      else if (!(await waitForSlot(state))) return { afterMs: busyMs, because: 'it is at others', isDown: false };
      const sparedFor = spared(state);
      if (sparedFor !== undefined) {
        releaseSlot(state);
        return sparedFor;
      }
      state.trying = state.failures >= failuresMax;
      return 'go';
    },
    leave(endpointId, failure) {
      const state = stateOf(endpointId);
      state.trying = false;
      if (failure === undefined) noteSuccess(state);
      else noteFailure(state, failure);
      releaseSlot(state);
      if (state.underWay === 0 && state.failures === 0) states.delete(endpointId);
    },
  });
};
