/**
 * Decides when requests to an upstream are refused without a try: those of one caller after its own failures, those of all after
 * failures that no single caller can cause.
 */
import { BoundedMap, CircuitBreaker, type Clock } from '../core/lib/index.ts';

interface CircuitsOptions {
  readonly clock: Clock;
  /** A request takes no longer. Milliseconds. */
  readonly probeMsMax: number;
}

/** The caller of a request. */
export interface RequestSource {
  readonly credential: string;
  /** What one caller cannot make up: its address, where nothing is known of its credential. */
  readonly origin: string;
}

const failuresMax = 10;
/** Failures of one origin that count for all: its requests alone open the circuit of no other caller. */
const failuresOfOriginMax = failuresMax / 2;
const openMsMax = 30_000;
/** Callers with failures. Beyond it, the failures of the first one are forgotten. */
const callersMax = 1_000;

export class Circuits {
  readonly #options: CircuitsOptions;
  readonly #all: CircuitBreaker;
  /** By credential, since the last success of each. */
  readonly #ofCaller = new BoundedMap<string, CircuitBreaker>(callersMax);
  /** What each origin has added to the failures of all since the last success of any. */
  readonly #counted = new Map<string, number>();
  #failures = 0;

  constructor(options: CircuitsOptions) {
    this.#options = options;
    this.#all = this.#createBreaker();
  }

  /** The last ten requests have failed, of whatever callers. */
  get isDown(): boolean {
    return this.#failures >= failuresMax;
  }

  /** Whether every request is refused now. */
  get isRefusing(): boolean {
    return this.#all.isRefusing;
  }

  /** Whether a request may be sent. Its end is reported by `succeed`, `failToConnect`, `fail` or `release`. */
  tryAcquire({ credential }: RequestSource): boolean {
    if (this.#all.isRefusing) return false;
    if (this.#ofCaller.get(credential)?.tryAcquire().isAllowed === false) return false;
    return this.#all.tryAcquire().isAllowed;
  }

  /** The upstream has answered. */
  succeed({ credential }: RequestSource): void {
    this.#ofCaller.delete(credential);
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#counted.clear();
    this.#all.succeed();
  }

  /** There is no connection, whatever the request is. */
  failToConnect(source: RequestSource): void {
    this.#failures += 1;
    this.#ofCaller.get(source.credential)?.release();
    this.#all.fail();
  }

  /** The request was sent and got no answer: the request itself may be why. */
  fail({ credential, origin }: RequestSource): void {
    this.#failures += 1;
    this.#breakerOf(credential).fail();
    const counted = this.#counted.get(origin) ?? 0;
    if (counted < failuresOfOriginMax) {
      this.#counted.set(origin, counted + 1);
      this.#all.fail();
    } else this.#all.release();
  }

  /** The request was not sent. */
  release({ credential }: RequestSource): void {
    this.#ofCaller.get(credential)?.release();
    this.#all.release();
  }

  #breakerOf(credential: string): CircuitBreaker {
    return this.#ofCaller.getOrCreate(credential, () => this.#createBreaker());
  }

  #createBreaker(): CircuitBreaker {
    const { clock, probeMsMax } = this.#options;
    const openMs = (openings: number): number => Math.min(1_000 * 2 ** (openings - 1), openMsMax);
    return new CircuitBreaker({ clock, failuresMax, openMs, probeMsMax });
  }
}
