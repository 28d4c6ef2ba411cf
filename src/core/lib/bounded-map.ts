/** A map with a limit: beyond it, the entry that was set longest ago is removed. Every cache is one of these. */

interface BoundedMapOptions<K, V> {
  /** How much of the limit an entry takes: its bytes, for a limit of bytes. 1 by default. */
  readonly sizeOf?: (value: V, key: K) => number;
  /** Called for each entry that is removed or replaced, as for keys that are wiped. */
  readonly removed?: (value: V) => void;
  /** Milliseconds after the first entry when all are removed: secrets are kept for no longer. */
  readonly msMax?: number;
}

export class BoundedMap<K, V extends NonNullable<unknown>> implements Iterable<readonly [K, V]> {
  readonly #entries = new Map<K, V>();
  readonly #max: number;
  readonly #options: BoundedMapOptions<K, V>;
  #total = 0;
  /** Where the oldest entries begin. A new iterator would pass all entries that were removed since the last one. */
  #oldest: Iterator<K> | undefined;

  /** `max`: of entries, or of what `sizeOf` returns. */
  constructor(max: number, options: BoundedMapOptions<K, V> = {}) {
    this.#max = max;
    this.#options = options;
  }

  /** The number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** Returns the value of the key. Where there is none, it is created and set. */
  getOrCreate(key: K, create: (key: K) => V): V {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const value = create(key);
    this.set(key, value);
    return value;
  }

  /** The entry becomes the youngest one, also where it replaces another. */
  set(key: K, value: V): void {
    const { sizeOf, msMax } = this.#options;
    this.delete(key);
    if (msMax !== undefined && this.#entries.size === 0) setTimeout(() => this.clear(), msMax).unref();
    this.#entries.set(key, value);
    this.#total += sizeOf?.(value, key) ?? 1;
    // The iterator holds every former state of the map since its creation: it is kept only while each entry removes another.
    if (this.#total <= this.#max) this.#oldest = undefined;
    else this.#removeOldest();
  }

  delete(key: K): boolean {
    const value = this.#entries.get(key);
    if (value === undefined) return false;
    const { sizeOf, removed } = this.#options;
    this.#entries.delete(key);
    this.#total -= sizeOf?.(value, key) ?? 1;
    removed?.(value);
    return true;
  }

  clear(): void {
    // Map.clear() allocates a new table even for an empty map, and requests clear some.
    if (this.#entries.size === 0) return;
    const { removed } = this.#options;
    if (removed !== undefined) for (const value of this.#entries.values()) removed(value);
    this.#entries.clear();
    this.#total = 0;
    this.#oldest = undefined;
  }

  /** The oldest entry first. */
  [Symbol.iterator](): Iterator<readonly [K, V]> {
    return this.#entries[Symbol.iterator]();
  }

  #removeOldest(): void {
    this.#oldest ??= this.#entries.keys();
    while (this.#total > this.#max && this.#entries.size > 0) {
      const oldest = this.#oldest.next();
      if (oldest.done === true) break;
      this.delete(oldest.value);
    }
  }
}
