/** What this process settled lately: a storm of retries is answered without asking anyone. */
import type { Clock } from '../lib/clock-and-ids.ts';
import type { StoredOutcome } from './ports.ts';

/** A journal row that is taken out by hand is forgotten here after this long. */
const keptMsMax = 60_000;
/** Characters of all outcomes together, some 8 MiB. */
const charactersMax = 4_000_000;

interface Held {
  readonly kept: StoredOutcome;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export class LocalReplayCache {
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();
  #characters = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(scope: string): StoredOutcome | undefined {
    const held = this.#held.get(scope);
    if (held === undefined) return undefined;
    const age = this.#clock.now() - held.since;
    // A clock set back makes the age negative: ask again rather than trust it for longer.
    if (age >= 0 && age < keptMsMax) return held.kept;
    this.#drop(scope, held);
    return undefined;
  }

  /** The oldest go when there is too much. */
  save(scope: string, kept: StoredOutcome): void {
    const before = this.#held.get(scope);
    if (before !== undefined) this.#drop(scope, before);
    this.#held.set(scope, { kept, since: this.#clock.now() });
    this.#characters += kept.outcome.length;
    for (const [oldest, held] of this.#held) {
      if (this.#characters <= charactersMax) break;
      this.#drop(oldest, held);
    }
  }

  #drop(scope: string, { kept }: Held): void {
    this.#held.delete(scope);
    this.#characters -= kept.outcome.length;
  }
}
