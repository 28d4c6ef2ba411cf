/** Limits the requests without an outcome, of one credential and of all: with forwarded credentials any text is a caller. */
import { Problem } from '../contract/index.ts';

interface PendingOwner {
  readonly tenant: string;
  readonly credential: string;
}

export interface PendingCount extends PendingOwner {
  readonly requests: number;
}

export interface PendingLimitOptions {
  /** Reads from the store how many requests each credential has pending. */
  readonly count: () => Promise<readonly PendingCount[]>;
  /** 0 is unlimited. */
  readonly perCredentialMax: number;
  /** Pending requests of all credentials; 0 is unlimited. */
  readonly max: number;
  /** Called for each refused request. */
  readonly onReached?: (limit: 'pendingOfCredential' | 'pendingOfAll') => void;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs?: () => number;
}

/** The counts of other processes are at most so old, and so are those that an operator has settled. */
const refreshMs = 5_000;

/** Counts what this process adds and removes on top of what it has read from the store. */
export class PendingLimit {
  readonly #options: PendingLimitOptions;
  readonly #monotonicMs: () => number;
  #counts = new Map<string, number>();
  #total = 0;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: PendingLimitOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
  }

  /** Throws `tooManyRequests` for a credential that has too many, and `overloaded` where all together are too many. */
  add(owner: PendingOwner): void {
    const { perCredentialMax, max, onReached } = this.#options;
    if (this.#monotonicMs() - this.#readAt >= refreshMs) void this.refresh();
    const name = nameOf(owner);
    const count = this.#counts.get(name) ?? 0;
    if (perCredentialMax > 0 && count >= perCredentialMax) {
      onReached?.('pendingOfCredential');
      throw new Problem('tooManyRequests', undefined, { reason: 'pendingRequests' });
    }
    if (max > 0 && this.#total >= max) {
      onReached?.('pendingOfAll');
      throw new Problem('overloaded', undefined, { reason: 'pendingRequests' });
    }
    this.#counts.set(name, count + 1);
    this.#total += 1;
  }

  /** The request has an outcome, or was not reserved. */
  remove(owner: PendingOwner): void {
    const name = nameOf(owner);
    const count = this.#counts.get(name);
    // A refresh may have found it removed already.
    if (count === undefined) return;
    if (count > 1) this.#counts.set(name, count - 1);
    else this.#counts.delete(name);
    this.#total -= 1;
  }

  /** Reads the counts of the store. A failure leaves those that are known: the store refuses the request itself. */
  async refresh(): Promise<void> {
    this.#readAt = this.#monotonicMs();
    const found = await this.#options.count().catch(() => undefined);
    if (found === undefined) return;
    this.#counts = new Map(found.map((each) => [nameOf(each), each.requests]));
    this.#total = found.reduce((total, { requests }) => total + requests, 0);
  }
}

function nameOf({ tenant, credential }: PendingOwner): string {
  return `${tenant}\n${credential}`;
}
