/** Lets so many requests begin in a second, evenly. */
import { setTimeout as wait } from 'node:timers/promises';

/** Requests are never closer than the rate says, however late a timer is. */
export class Pace {
  readonly #everyMs: number;
  #nextAt = 0;

  /** `rate`: requests per second. */
  constructor(rate: number) {
    this.#everyMs = 1_000 / rate;
  }

  /** Resolves when the next request may begin. Called by one at a time. */
  async next(): Promise<void> {
    // Timers may be a little early.
    for (let now = performance.now(); now < this.#nextAt; now = performance.now())
      await wait(Math.ceil(this.#nextAt - now));
    this.skip();
  }

  /** One more request has begun. */
  skip(): void {
    this.#nextAt = Math.max(performance.now(), this.#nextAt) + this.#everyMs;
  }
}
