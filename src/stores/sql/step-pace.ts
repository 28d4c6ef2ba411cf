/** The pace of deletions beside traffic: small steps with long pauses, by the time that the steps take. */

/**
 * The embedded store has one writer, and its thread waits for the disk: requests wait for a step, its commit and the move of
 * its pages into the file. A longer step is followed by a smaller one.
 */
const stepMsMax = 10;
/** Of the first step, and the fewest. On a slow disk a step with more is what the slowest requests wait for. */
export const rowsMin = 10;
/** For so many times the length of a step nothing is deleted: nine tenths of the time belong to requests. */
const pausePerStep = 9;
const pauseMsMin = 50;
const pauseMsMax = 1_000;

export class StepPace {
  readonly #rowsMax: number;
  #rows = rowsMin;

  /** `rowsMax`: the most rows of a step. */
  constructor(rowsMax: number) {
    this.#rowsMax = rowsMax;
  }

  /** How many rows the next step deletes at most. */
  get rows(): number {
    return this.#rows;
  }

  /** Takes how many milliseconds a step took, its commit included, and returns how many to pause after it. */
  after(stepMs: number): number {
    if (stepMs > stepMsMax) this.#rows = Math.max(this.#rows >> 1, rowsMin);
    else if (stepMs < stepMsMax / 2) this.#rows = Math.min(this.#rows * 2, this.#rowsMax);
    return Math.min(Math.max(stepMs * pausePerStep, pauseMsMin), pauseMsMax);
  }
}
