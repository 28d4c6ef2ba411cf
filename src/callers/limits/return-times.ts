/** Spreads the returns of one caller's refused requests over time: the more are refused, the later they may come again. */

/** A refusal costs about a third of an answer, so a caller's refusals take a few hundredths of its share. */
const refusedForEachAnswer = 0.1;
/** In the mean. A single one waits for up to five. */
const secondsMax = 3;
const windowMs = 1_000;

export class ReturnTimes {
  readonly #random: () => number;
  #meanSeconds = 1;
  #windowStartedAt = 0;
  #answered = 0;
  #refused = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** A request was answered. */
  countAnswer(): void {
    this.#answered += 1;
  }

  /** Counts a refusal at a time in milliseconds, and returns the whole seconds after which its request may come again. */
  countRefusal(at: number): number {
    if (at - this.#windowStartedAt >= windowMs) this.#beginWindow(at);
    this.#refused += 1;
    // Requests that are refused together return at different times.
    return 1 + Math.floor(this.#random() * (2 * this.#meanSeconds - 1));
  }

  #beginWindow(at: number): void {
    // Requests that wait at their callers: each refused one returns after the mean.
    const waiting = this.#refused * this.#meanSeconds;
    const seconds = Math.ceil(waiting / (this.#answered * refusedForEachAnswer));
    this.#meanSeconds = waiting === 0 ? 1 : Math.min(Math.max(seconds, 1), secondsMax);
    this.#windowStartedAt = at;
    this.#answered = 0;
    this.#refused = 0;
  }
}
