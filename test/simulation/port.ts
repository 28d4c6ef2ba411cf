/** The way from a process to what is outside of it: a call goes out, is done, is answered, and may fail at each step. */
import { type Attempt, attempts } from './attempt.ts';
import type { Owner, Scheduler } from './scheduler.ts';

/** What becomes of one call. */
export type Fate =
  | 'well'
  /** Fails at once; nothing is done. */
  | 'error'
  /** It is done, and nobody hears of it. */
  | 'timeout'
  /** It is not done, and nobody hears of it. */
  | 'lost'
  /** It is done after the caller has given up. */
  | 'late'
  /** Others were in the way; only a database knows this one. */
  | 'conflict'
  | 'crashBefore'
  | 'crashAfter';

export type Failure = 'error' | 'timeout' | 'lost' | 'late' | 'conflict';
export type Kind = 'gate' | 'statement' | 'commit' | 'credentials' | 'updater';

/** Decides what becomes of each call. `point`: what is called, such as `gate claim`, `begin` or the name of a statement. */
export interface Fates {
  of(point: string, kind: Kind): Fate;
  /** How much later than the caller's patience a late call is done, in milliseconds. */
  lateMs(): number;
}

export interface Call<T> {
  readonly point: string;
  readonly kind: Kind;
  /** The caller's patience in milliseconds. */
  readonly limitMs: number;
  /** Done where it arrives, at once. */
  apply(): T;
  /** It is on its way, and will arrive. */
  sent?(): void;
  /** What the caller gets of a failure. */
  fail(failure: Failure): T;
}

const never = new Promise<never>(() => {});
const nothing = (): void => {};

export class Port {
  readonly scheduler: Scheduler;
  readonly owner: Owner;
  readonly #network: Owner;
  readonly #fates: Fates;
  readonly #crash: () => void;

  constructor(scheduler: Scheduler, owner: Owner, network: Owner, fates: Fates, crash: () => void) {
    this.scheduler = scheduler;
    this.owner = owner;
    this.#network = network;
    this.#fates = fates;
    this.#crash = crash;
  }

  async call<T>({ point, kind, limitMs, apply, sent, fail }: Call<T>): Promise<T> {
    const fate = this.#fates.of(point, kind);
    const attempt: Attempt | undefined = attempts.getStore();
    if (fate !== 'well' && attempt !== undefined) attempt.hurt = true;
    // What is on its way arrives even where the sender dies.
    const arrive = (ms?: number) => {
      sent?.();
      return this.scheduler.turn(this.#network, `${this.owner.name}'s ${point} arrives`, ms).then(apply);
    };
    switch (fate) {
      case 'well': {
        const result = await arrive();
        await this.scheduler.turn(this.owner, `${point} answered`);
        return result;
      }
      case 'error':
      case 'conflict':
        await this.scheduler.turn(this.owner, `${point} fails: ${fate}`);
        return fail(fate);
      case 'timeout':
      case 'lost':
      case 'late':
        if (fate !== 'lost') arrive(fate === 'late' ? limitMs + this.#fates.lateMs() : undefined).catch(nothing);
        await this.scheduler.turn(this.owner, `${point} fails: ${fate}`, limitMs);
        return fail(fate);
      case 'crashBefore':
        this.#crash();
        return never;
      case 'crashAfter':
        await arrive();
        this.#crash();
        return never;
      default:
        return fate satisfies never;
    }
  }
}
