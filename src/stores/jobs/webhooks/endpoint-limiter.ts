/**
 * Shares the places of a process for deliveries among endpoints. Quick and slow endpoints have places of their own, so that slow
 * ones delay slow ones only. An endpoint gets its share of them, and none while its circuit is open.
 */
import { type Backoff, backoffMs, CircuitBreaker, type Clock } from '../../../core/lib/index.ts';

/** Nothing is sent for a time in milliseconds; `because` is for people. */
export interface Deferred {
  readonly afterMs: number;
  /** Between two deliveries that the endpoint has a place for; undefined before it has answered. */
  readonly spacingMs: number | undefined;
  readonly because: string;
  /** The endpoint failed recently; otherwise its share is in use. */
  readonly isDown: boolean;
}

/** The caller gives the place back, once. */
export interface Place {
  /** `failure`: why the delivery failed, if it did. */
  leave(failure?: string): void;
}

interface LimiterOptions {
  /** Is never set back. */
  readonly clock: Clock;
  /** Deliveries at the same time, to quick endpoints. */
  readonly quickMax: number;
  /** Deliveries to slow endpoints at the same time. */
  readonly slowMax: number;
  /** Deliveries to one endpoint at the same time. */
  readonly endpointMax: number;
  /** An endpoint that takes longer is slow. */
  readonly quickMs: number;
  /** No delivery takes longer. */
  readonly deliveryMsMax: number;
}

const failuresMax = 5;
const openBackoff: Backoff = { firstMs: 1_000, maxMs: 60_000 };
/** Quick answers in a row after which a slow endpoint counts as quick. */
const quickInRowMin = 8;
/** An endpoint that has not answered yet gets no more deliveries at the same time, one more after each quick answer. */
const newcomerMax = 2;
/** Deliveries are put off for a little less than it takes, so that an endpoint never waits for them. */
const paceFactor = 0.9;
const turnMsMax = 60_000;
/** The weight of the last delivery in the mean. */
const lastWeight = 0.3;

interface Delivery {
  readonly startedAt: number;
  isAside: boolean;
  readonly stepAside: () => void;
}

interface EndpointState {
  isSlow: boolean;
  quickInRow: number;
  /** Deliveries at the same time that it has earned. */
  earned: number;
  meanMs: number | undefined;
  /** When the next delivery that is put off may go. */
  nextTurn: number;
  lastFailure: string;
  readonly breaker: CircuitBreaker;
  readonly running: Set<Delivery>;
  /** Each takes a place, or is put off; the first has waited the longest. */
  readonly waiting: (() => void)[];
}

/** The limits hold for one process. */
export class EndpointLimiter {
  readonly #options: LimiterOptions;
  readonly #states = new Map<string, EndpointState>();
  /** Deliveries to slow endpoints that have a place of their own. */
  #aside = 0;

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  /**
   * Takes a place, for which deliveries to a quick endpoint wait for a moment. `stepAside` is called when the delivery has a place of
   * the slow ones, at once or while it runs.
   */
  async enter(endpointId: string, stepAside: () => void): Promise<Place | Deferred> {
    const state = this.#stateOf(endpointId);
    const share = this.#shareOf(state);
    if (!state.isSlow && !state.breaker.isRefusing && !this.#isFree(state, share)) {
      if (state.running.size + state.waiting.length >= share) return this.#putOff(state);
      await waitForPlace(state);
    }
    if (!state.breaker.isRefusing && !this.#isFree(state, this.#shareOf(state))) return this.#putOff(state);
    const permit = state.breaker.tryAcquire();
    if (permit.isAllowed) return this.#start(state, endpointId, stepAside);
    this.#wake(state);
    const { retryAfterMs: afterMs } = permit;
    return { afterMs, spacingMs: this.#spacingOf(state), because: state.lastFailure, isDown: true };
  }

  #stateOf(endpointId: string): EndpointState {
    const { clock, deliveryMsMax } = this.#options;
    const state = this.#states.get(endpointId) ?? createState(clock, deliveryMsMax);
    this.#states.set(endpointId, state);
    return state;
  }

  /** The places of an endpoint among the active ones of its kind. One share stays free for a further endpoint. */
  #shareOf(state: EndpointState): number {
    const { quickMax, slowMax } = this.#options;
    let others = 0;
    for (const other of this.#states.values())
      if (other !== state && other.isSlow === state.isSlow && other.running.size + other.waiting.length > 0)
        others += 1;
    return Math.max(1, Math.floor((state.isSlow ? slowMax : quickMax) / (others + 2)));
  }

  #isFree(state: EndpointState, share: number): boolean {
    const { slowMax, endpointMax } = this.#options;
    if (state.isSlow) return this.#aside < slowMax && state.running.size < Math.min(share, endpointMax);
    return state.running.size < Math.min(share, state.earned);
  }

  #start(state: EndpointState, endpointId: string, stepAside: () => void): Place {
    const { clock, quickMs } = this.#options;
    const delivery: Delivery = { startedAt: clock.now(), isAside: false, stepAside };
    state.running.add(delivery);
    if (state.isSlow) this.#moveAside(delivery);
    const timer = setTimeout(() => this.#becomeSlow(state), quickMs);
    timer.unref();
    return Object.freeze<Place>({
      leave: (failure) => {
        clearTimeout(timer);
        this.#end(state, endpointId, delivery, failure);
      },
    });
  }

  #end(state: EndpointState, endpointId: string, delivery: Delivery, failure: string | undefined): void {
    state.running.delete(delivery);
    if (delivery.isAside) this.#aside -= 1;
    this.#measure(state, this.#options.clock.now() - delivery.startedAt);
    if (failure === undefined) state.breaker.succeed();
    else {
      state.lastFailure = failure;
      state.breaker.fail();
    }
    const isContinued = this.#wake(state);
    const isForgotten = state.running.size === 0 && !state.isSlow && !state.breaker.hasFailures;
    if (isForgotten && !isContinued) this.#states.delete(endpointId);
  }

  /** Lets as many go on as there are places; returns whether one does. */
  #wake(state: EndpointState): boolean {
    const free = Math.min(this.#shareOf(state), state.earned) - state.running.size;
    const next = state.waiting.splice(0, Math.max(1, free));
    for (const each of next) each();
    return next.length > 0;
  }

  /** A slow delivery takes no place of quick ones, while there are places for slow ones. */
  #moveAside(delivery: Delivery): void {
    if (delivery.isAside || this.#aside >= this.#options.slowMax) return;
    delivery.isAside = true;
    this.#aside += 1;
    delivery.stepAside();
  }

  #becomeSlow(state: EndpointState): void {
    state.isSlow = true;
    state.quickInRow = 0;
    for (const delivery of state.running) this.#moveAside(delivery);
    for (const each of state.waiting.splice(0)) each();
  }

  #measure(state: EndpointState, ms: number): void {
    const { quickMs, endpointMax } = this.#options;
    state.meanMs = state.meanMs === undefined ? ms : (1 - lastWeight) * state.meanMs + lastWeight * ms;
    if (ms >= quickMs) {
      this.#becomeSlow(state);
      return;
    }
    state.quickInRow += 1;
    state.earned = Math.min(state.earned + 1, endpointMax);
    if (state.quickInRow >= quickInRowMin) state.isSlow = false;
  }

  /** A slow endpoint may take much longer now than it took before. */
  #spacingOf(state: EndpointState): number | undefined {
    const { clock, endpointMax } = this.#options;
    const [oldest] = state.running;
    const ageMs = state.isSlow && oldest !== undefined ? clock.now() - oldest.startedAt : 0;
    const { meanMs = ageMs } = state;
    if (meanMs === 0) return undefined;
    return (paceFactor * Math.max(meanMs, ageMs)) / Math.min(this.#shareOf(state), endpointMax);
  }

  #putOff(state: EndpointState): Deferred {
    const { clock, quickMs } = this.#options;
    const now = clock.now();
    const spacingMs = this.#spacingOf(state);
    const because = 'it is at others';
    if (spacingMs === undefined) return { afterMs: quickMs, spacingMs, because, isDown: false };
    state.nextTurn = Math.min(Math.max(state.nextTurn, now) + spacingMs, now + turnMsMax);
    return { afterMs: state.nextTurn - now, spacingMs, because, isDown: false };
  }
}

function waitForPlace(state: EndpointState): Promise<void> {
  return new Promise((resolve) => state.waiting.push(resolve));
}

function createState(clock: Clock, deliveryMsMax: number): EndpointState {
  const breaker = new CircuitBreaker({
    clock,
    failuresMax,
    openMs: (openings) => backoffMs(openings, openBackoff),
    probeMsMax: deliveryMsMax,
  });
  return {
    isSlow: false,
    quickInRow: 0,
    earned: newcomerMax,
    meanMs: undefined,
    nextTurn: 0,
    lastFailure: '',
    breaker,
    running: new Set(),
    waiting: [],
  };
}
