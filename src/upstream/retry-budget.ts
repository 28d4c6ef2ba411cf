/** A budget for retries: a share of the requests, so that retries never multiply the load of a failing upstream. */

const shareOfRequests = 0.1;
const tokensMax = 10;

export class RetryBudget {
  #tokens = tokensMax;

  /** A request is sent for the first time. */
  add(): void {
    this.#tokens = Math.min(tokensMax, this.#tokens + shareOfRequests);
  }

  /** Whether a request may be sent again. */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
