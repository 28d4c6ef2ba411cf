/** The simulated Redis that all processes share, and the faults of its data. */
import type { CacheReservation } from '../../src/core/idempotency/ports.ts';

const leaseMs = 15_000;
const ttlMs = 3_600_000;

type CacheEntry =
  | { readonly kind: 'pending'; readonly token: string; readonly until: number }
  | { readonly kind: 'done'; readonly until: number }
  /** A value that cannot be parsed. */
  | { readonly kind: 'garbage'; readonly until: number };

export class CacheServer {
  /** Unreachable until then, in virtual milliseconds. */
  downUntil = 0;
  readonly #now: () => number;
  #entries = new Map<string, CacheEntry>();
  #tokens = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  reserve(recordKey: string): CacheReservation {
    const entry = this.#find(recordKey);
    switch (entry?.kind) {
      case undefined: {
        const token = `token-${++this.#tokens}`;
        this.#entries.set(recordKey, { kind: 'pending', token, until: this.#now() + leaseMs });
        return { kind: 'reserved', token };
      }
      case 'pending':
        return { kind: 'inFlight', ageMs: leaseMs - (entry.until - this.#now()) };
      case 'done':
        return { kind: 'completed' };
      case 'garbage':
        return { kind: 'unknown' };
      default:
        return entry satisfies never;
    }
  }

  complete(recordKey: string): void {
    this.#entries.set(recordKey, { kind: 'done', until: this.#now() + ttlMs });
  }

  release(recordKey: string, token: string): void {
    const entry = this.#find(recordKey);
    if (entry?.kind === 'pending' && entry.token === token) this.#entries.delete(recordKey);
  }

  /** Whatever is there, whichever request reserved it. */
  remove(recordKey: string): void {
    this.#entries.delete(recordKey);
  }

  flush(): void {
    this.#entries.clear();
  }

  /** Returns a function that restores the present state, as a failover to a replica that lags behind does. */
  snapshot(): () => void {
    const copied = new Map(this.#entries);
    return () => {
      this.#entries = new Map(copied);
    };
  }

  /** Overwrites every entry with garbage, or with a forged reservation of another request. */
  corrupt(forged: boolean): void {
    for (const recordKey of this.#entries.keys())
      this.#entries.set(
        recordKey,
        forged
          ? { kind: 'pending', token: 'forged', until: this.#now() + leaseMs }
          : { kind: 'garbage', until: this.#now() + ttlMs },
      );
  }

  #find(recordKey: string): CacheEntry | undefined {
    const entry = this.#entries.get(recordKey);
    return entry === undefined || entry.until <= this.#now() ? undefined : entry;
  }
}
