/** Caches unwrapped data keys for a bounded time and number of uses, so that most openings decrypt one ciphertext instead of two. */
import { BoundedMap } from '../lib/bounded-map.ts';
import { type DataKey, dataKeyBytes } from './data-key.ts';
import type { SealScope, WrappedKey } from './ports.ts';

export interface DataKeyCacheLimits {
  /** How many keys are cached. */
  readonly keysMax: number;
  /** Milliseconds after which a key is removed, used or not. */
  readonly ageMax: number;
  /** How often a key is used before it is unwrapped again. */
  readonly usesMax: number;
}

/** 50,000 keys take about 24 MB. */
export const dataKeyCacheLimits: DataKeyCacheLimits = { keysMax: 50_000, ageMax: 5 * 60_000, usesMax: 10_000 };

interface Entry extends DataKey {
  readonly scope: SealScope;
  readonly keyId: string;
  readonly expiresAt: number;
  usesLeft: number;
}

export class DataKeyCache {
  /** By wrapped data key, in the order of their expiry. */
  readonly #entries: BoundedMap<string, Entry>;
  /** The bytes of all keys. One block: a buffer for each key would take ten times its size. */
  #bytes: Buffer | undefined;
  readonly #unused: Buffer[] = [];
  readonly #limits: DataKeyCacheLimits;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: DataKeyCacheLimits, now: () => number) {
    this.#limits = limits;
    this.#entries = new BoundedMap(limits.keysMax, { removed: ({ key }) => this.#unused.push(key.fill(0)) });
    this.#now = now;
  }

  /** Returns undefined for a key that is not cached, has expired, is used up or belongs to another record. */
  find({ tenant, record }: SealScope, { keyId, dataKey }: WrappedKey): DataKey | undefined {
    const entry = this.#entries.get(dataKey);
    if (entry === undefined) return undefined;
    // A wrapped key that was moved to another record must fail as it does when it is unwrapped.
    if (entry.scope.record !== record || entry.scope.tenant !== tenant || entry.keyId !== keyId) return undefined;
    if (entry.expiresAt <= this.#now() || entry.usesLeft === 0) {
      this.#entries.delete(dataKey);
      return undefined;
    }
    entry.usesLeft -= 1;
    return entry;
  }

  /** Copies the key; the caller goes on to own and wipe its own. */
  add(scope: SealScope, { keyId, dataKey }: WrappedKey, { key, sealedUnder }: DataKey): void {
    const { ageMax, usesMax } = this.#limits;
    const copy = this.#takeBytes();
    key.copy(copy);
    this.#entries.set(dataKey, {
      key: copy,
      sealedUnder,
      scope: { tenant: scope.tenant, record: scope.record },
      keyId,
      expiresAt: this.#now() + ageMax,
      usesLeft: usesMax,
    });
    this.#timer ??= setInterval(() => this.#removeExpired(), ageMax / 10).unref();
  }

  /** The number of cached keys. */
  get size(): number {
    return this.#entries.size;
  }

  #removeExpired(): void {
    const now = this.#now();
    for (const [dataKey, entry] of this.#entries) {
      if (entry.expiresAt > now) break;
      this.#entries.delete(dataKey);
    }
    if (this.#entries.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The entries and the unused pieces together are the pieces handed out so far. A new key takes its piece before the oldest goes. */
  #takeBytes(): Buffer {
    this.#bytes ??= Buffer.alloc((this.#limits.keysMax + 1) * dataKeyBytes);
    const start = this.#entries.size * dataKeyBytes;
    return this.#unused.pop() ?? this.#bytes.subarray(start, start + dataKeyBytes);
  }
}
