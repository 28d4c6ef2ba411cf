/** Caches what is read of a store for a moment. */
import { BoundedMap } from './bounded-map.ts';
import type { Clock } from './clock-and-ids.ts';
import { shareRunning } from './share-running.ts';

export interface CachedReads<V> {
  /** Returns what was read a moment ago, or reads it. Callers at the same time share one reading. */
  find(key: string): V | Promise<V>;
  /** Drops what is cached. */
  forget(): void;
}

interface CacheOptions {
  readonly clock: Clock;
  readonly msMax: number;
  /** Keys in memory. */
  readonly max: number;
  /** Nothing is in memory for longer than `msMax`. */
  readonly isSecret?: true;
}

/** Caches also that nothing was found. */
export function cacheReads<V>(
  read: (key: string) => Promise<V>,
  { clock, msMax, max, isSecret }: CacheOptions,
): CachedReads<V> {
  const entries = new BoundedMap<string, { readonly value: V; readonly readAt: number }>(max);
  const share = shareRunning<string, V>();
  const readAgain = async (key: string): Promise<V> => {
    const readAt = clock.now();
    const value = await read(key);
    entries.set(key, { value, readAt });
    if (isSecret) setTimeout(() => entries.delete(key), msMax).unref();
    return value;
  };
  return Object.freeze<CachedReads<V>>({
    find(key) {
      const known = entries.get(key);
      const age = known === undefined ? -1 : clock.now() - known.readAt;
      // A clock set back makes the age negative: read again rather than trust the entry for longer.
      return known !== undefined && age >= 0 && age < msMax ? known.value : share(key, () => readAgain(key));
    },
    forget: () => entries.clear(),
  });
}
