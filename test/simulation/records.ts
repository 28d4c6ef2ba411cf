/** The records that the gates of all processes share, and what can happen to them. */
import type { CacheReservation, StoredOutcome } from '../../src/idempotency/ports.ts';

const leaseMs = 15_000;
const keptMs = 3_600_000;

type Held =
  | { readonly kind: 'pending'; readonly fingerprint: string; readonly ticket: string; readonly until: number }
  | { readonly kind: 'done'; readonly kept: StoredOutcome; readonly until: number }
  /** What nobody can read. */
  | { readonly kind: 'garbage'; readonly until: number };

export class Records {
  /** Until then nobody can reach them, in virtual milliseconds. */
  downUntil = 0;
  readonly #now: () => number;
  #held = new Map<string, Held>();
  #tickets = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  claim(scope: string, fingerprint: string): CacheReservation {
    const held = this.#find(scope);
    switch (held?.kind) {
      case undefined: {
        const ticket = `ticket-${++this.#tickets}`;
        this.#held.set(scope, { kind: 'pending', fingerprint, ticket, until: this.#now() + leaseMs });
        return { kind: 'granted', ticket };
      }
      case 'pending':
        return { kind: 'running', fingerprint: held.fingerprint, ageMs: leaseMs - (held.until - this.#now()) };
      case 'done':
        return { kind: 'settled', kept: held.kept };
      case 'garbage':
        return { kind: 'unknown' };
      default:
        return held satisfies never;
    }
  }

  settle(scope: string, kept: StoredOutcome): void {
    this.#held.set(scope, { kind: 'done', kept, until: this.#now() + keptMs });
  }

  release(scope: string, ticket: string): void {
    const held = this.#find(scope);
    if (held?.kind === 'pending' && held.ticket === ticket) this.#held.delete(scope);
  }

  /** Whatever is there, whoever it belongs to. */
  remove(scope: string): void {
    this.#held.delete(scope);
  }

  flush(): void {
    this.#held.clear();
  }

  /** A copy, as a replica has it that lags behind. */
  copy(): () => void {
    const copied = new Map(this.#held);
    return () => {
      this.#held = new Map(copied);
    };
  }

  /** Something else is written over every record: nothing that can be read, or a claim for another request. */
  spoil(forged: boolean): void {
    for (const scope of this.#held.keys())
      this.#held.set(
        scope,
        forged
          ? { kind: 'pending', fingerprint: 'f'.repeat(43), ticket: 'forged', until: this.#now() + leaseMs }
          : { kind: 'garbage', until: this.#now() + keptMs },
      );
  }

  #find(scope: string): Held | undefined {
    const held = this.#held.get(scope);
    return held === undefined || held.until <= this.#now() ? undefined : held;
  }
}
