/** Caches the outcomes that this process stored lately, so that a burst of retries causes no query. */
import type { Clock } from '../lib/clock-and-ids.ts';
import type { StoredOutcome } from './ports.ts';

/** After this time the cache no longer hides that an operator has deleted a record. */
const ageMsMax = 60_000;
/** The characters of all outcomes together, some 8 MiB. */
const charactersMax = 4_000_000;

interface Entry {
  readonly stored: StoredOutcome;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
}

export class LocalReplayCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  #characters = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(recordKey: string): StoredOutcome | undefined {
    const entry = this.#entries.get(recordKey);
    if (entry === undefined) return undefined;
    const age = this.#clock.now() - entry.savedAt;
    // A clock set back makes the age negative: ask the store rather than trust the entry for longer.
    if (age >= 0 && age < ageMsMax) return entry.stored;
    this.#delete(recordKey, entry);
    return undefined;
  }

  /** Deletes the oldest entries beyond `charactersMax`. */
  save(recordKey: string, stored: StoredOutcome): void {
    const before = this.#entries.get(recordKey);
    if (before !== undefined) this.#delete(recordKey, before);
    this.#entries.set(recordKey, { stored, savedAt: this.#clock.now() });
    this.#characters += stored.outcome.length;
    for (const [oldest, entry] of this.#entries) {
      if (this.#characters <= charactersMax) break;
      this.#delete(oldest, entry);
    }
  }

  #delete(recordKey: string, { stored }: Entry): void {
    this.#entries.delete(recordKey);
    this.#characters -= stored.outcome.length;
  }
}
