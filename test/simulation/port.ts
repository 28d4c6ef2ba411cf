/** Calls from a process to the outside: a call is sent, applied and answered, and may fail at each step. */
import { type Attempt, currentAttempt } from './attempt.ts';
import type { Owner, Scheduler } from './scheduler.ts';

/** How a call fails. */
export type Failure =
  /** At once; nothing is applied. */
  | 'error'
  /** It is applied, and no answer arrives. */
  | 'timeout'
  /** It is not applied, and no answer arrives. */
  | 'lost'
  /** It is applied after the caller has given up. */
  | 'late'
  /** A serialization conflict of the database. */
  | 'conflict';

export type CallFault = 'none' | Failure | 'crashBefore' | 'crashAfter';

export type CallKind = 'cache' | 'statement' | 'commit' | 'credentials' | 'updater';

/** Chooses the fault of each call. `point`: what is called, such as `cache reserve`, `begin` or the name of a statement. */
export interface FaultInjector {
  faultOf(point: string, kind: CallKind): CallFault;
  /** How long after its time-out a late call is applied, in milliseconds. */
  lateMs(): number;
}

export interface Call<T> {
  readonly point: string;
  readonly kind: CallKind;
  /** The caller's time-out in milliseconds. */
  readonly limitMs: number;
  /** Runs at once where the call arrives. */
  apply(): T;
  /** The call was sent, and will arrive. */
  sent?(): void;
  /** Returns or throws what the caller gets. */
  fail(failure: Failure): T;
}

const never = new Promise<never>(() => {});
const ignore = (): void => {};

export class Port {
  readonly scheduler: Scheduler;
  readonly owner: Owner;
  readonly #network: Owner;
  readonly #faults: FaultInjector;
  readonly #crash: () => void;

  constructor(scheduler: Scheduler, owner: Owner, network: Owner, faults: FaultInjector, crash: () => void) {
    this.scheduler = scheduler;
    this.owner = owner;
    this.#network = network;
    this.#faults = faults;
    this.#crash = crash;
  }

  async call<T>({ point, kind, limitMs, apply, sent, fail }: Call<T>): Promise<T> {
    const fault = this.#faults.faultOf(point, kind);
    const attempt: Attempt | undefined = currentAttempt.getStore();
    if (fault !== 'none' && attempt !== undefined) attempt.disturbed = true;
    // A call that was sent arrives even where the sender dies.
    const arrive = (ms?: number) => {
      sent?.();
      return this.scheduler.turn(this.#network, `${this.owner.name}'s ${point} arrives`, ms).then(apply);
    };
    switch (fault) {
      case 'none': {
        const result = await arrive();
        await this.scheduler.turn(this.owner, `${point} answered`);
        return result;
      }
      case 'error':
      case 'conflict':
        await this.scheduler.turn(this.owner, `${point} fails: ${fault}`);
        return fail(fault);
      case 'timeout':
      case 'lost':
      case 'late':
        if (fault !== 'lost') arrive(fault === 'late' ? limitMs + this.#faults.lateMs() : undefined).catch(ignore);
        await this.scheduler.turn(this.owner, `${point} fails: ${fault}`, limitMs);
        return fail(fault);
      case 'crashBefore':
        this.#crash();
        return never;
      case 'crashAfter':
        await arrive();
        this.#crash();
        return never;
      default:
        return fault satisfies never;
    }
  }
}
