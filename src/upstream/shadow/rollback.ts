/** Counts what the answers of a shadow are worth, in one process: where too many fail or differ, it answers no longer. */
import type { Clock } from '../../lib/clock-and-ids.ts';

/** When a switch is rolled back. */
export interface RollbackBound {
  /** Percent of the answers of the shadow that may fail. */
  readonly errors: number;
  /** Percent of the compared answers that may differ in what is not accepted. */
  readonly differences: number;
  /** So many answers, or comparisons, are needed before they count. */
  readonly requestsMin: number;
  readonly windowMs: number;
}

/** `answered` and `failed` are requests of callers, `same` and `differing` comparisons. */
export type SwitchEvent = 'answered' | 'failed' | 'same' | 'differing';

export class RollbackWindow {
  readonly #bound: RollbackBound;
  readonly #clock: Clock;
  #startedAt: number;
  #counts: Record<SwitchEvent, number> = none();

  constructor(bound: RollbackBound, clock: Clock) {
    this.#bound = bound;
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  /** Returns why the switch must be rolled back; undefined where it need not be. */
  add(event: SwitchEvent): string | undefined {
    const { errors, differences, requestsMin, windowMs } = this.#bound;
    const now = this.#clock.now();
    if (now - this.#startedAt >= windowMs || now < this.#startedAt) this.reset();
    this.#counts[event] += 1;
    const { answered, failed, same, differing } = this.#counts;
    if (isBeyond(failed, answered + failed, errors, requestsMin))
      return `${failed} of ${answered + failed} requests failed`;
    if (isBeyond(differing, same + differing, differences, requestsMin))
      return `${differing} of ${same + differing} answers differed`;
    return undefined;
  }

  /** Counts anew, as after a change of the shares. */
  reset(): void {
    this.#startedAt = this.#clock.now();
    this.#counts = none();
  }
}

function isBeyond(part: number, all: number, percent: number, min: number): boolean {
  return all >= min && part * 100 > all * percent;
}

function none(): Record<SwitchEvent, number> {
  return { answered: 0, failed: 0, same: 0, differing: 0 };
}
