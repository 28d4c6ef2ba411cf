/** Circuit breaker: after failures in a row it refuses calls for a while, then lets one probe through. */
import type { Clock } from './clock-and-ids.ts';

interface CircuitBreakerOptions {
  readonly clock: Clock;
  /** Failures in a row that open the circuit. */
  readonly failuresMax: number;
  /** Milliseconds for which the circuit stays open, by the number of openings in a row (from 1). */
  readonly openMs: (openings: number) => number;
  /** A probe takes no longer. After this time another one may go, should the first have ended without a word. */
  readonly probeMsMax: number;
}

type CircuitPermit = { readonly isAllowed: true } | { readonly isAllowed: false; readonly retryAfterMs: number };

/** A span of time that begins now; a clock that is set back ends it. */
interface Span {
  readonly from: number;
  readonly ms: number;
}

const allowed: CircuitPermit = Object.freeze({ isAllowed: true });

export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  #open: Span | undefined;
  #probe: Span | undefined;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  /** Open or half-open: the last `failuresMax` calls failed. */
  get isOpen(): boolean {
    return this.#failures >= this.#options.failuresMax;
  }

  /** Whether a call would not be allowed now. */
  get isRefusing(): boolean {
    return this.isOpen && this.#retryAfterMs > 0;
  }

  /** Whether a failure was seen since the last success. */
  get hasFailures(): boolean {
    return this.#failures > 0;
  }

  /** Asks for permission to call. The caller reports the end of a call that was allowed: `succeed`, `fail` or `release`. */
  tryAcquire(): CircuitPermit {
    if (!this.isOpen) return allowed;
    const retryAfterMs = this.#retryAfterMs;
    if (retryAfterMs > 0) return { isAllowed: false, retryAfterMs };
    this.#probe = { from: this.#options.clock.now(), ms: this.#options.probeMsMax };
    return allowed;
  }

  succeed(): void {
    this.#failures = 0;
    this.#open = undefined;
    this.#probe = undefined;
  }

  /** The call says nothing of the server: another probe may go. */
  release(): void {
    this.#probe = undefined;
  }

  /** Calls that were under way when the circuit opened fail together with the one that opened it: these are not counted. */
  fail(): void {
    if (this.#remainingMs(this.#open) > 0) return;
    this.#failures += 1;
    this.#probe = undefined;
    const { clock, failuresMax, openMs } = this.#options;
    if (this.isOpen) this.#open = { from: clock.now(), ms: openMs(this.#failures - failuresMax + 1) };
  }

  get #retryAfterMs(): number {
    return this.#remainingMs(this.#open) || this.#remainingMs(this.#probe);
  }

  #remainingMs(span: Span | undefined): number {
    if (span === undefined) return 0;
    const elapsedMs = this.#options.clock.now() - span.from;
    return elapsedMs < 0 ? 0 : Math.max(0, span.ms - elapsedMs);
  }
}
