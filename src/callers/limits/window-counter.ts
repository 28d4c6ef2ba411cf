/** Counts events by key, each in a window of time that begins with its first event. */
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock-and-ids.ts';

export interface Window {
  readonly count: number;
  /** By the clock of the counter. */
  readonly endsAt: number;
}

export interface WindowOptions {
  /** Is never set back. */
  readonly clock: Clock;
  readonly windowMs: number;
  /** More keys than this are not counted side by side: the one without an event for the longest time is dropped. */
  readonly keysMax: number;
}

/**
 * In the memory of this process, which is bounded. The memory limiter of rate-limiter-flexible is not: it holds 425 bytes and a
 * timer for each key, and answers later.
 */
export class WindowCounter {
  readonly #options: WindowOptions;
  readonly #windows: BoundedMap<string, { count: number; endsAt: number }>;

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#windows = new BoundedMap(options.keysMax);
  }

  /** Counts one event; all events of a window get the same object. `known`: what others have counted of the key already. */
  add(key: string, known?: Window): Window {
    const { clock, windowMs } = this.#options;
    const window = this.#current(key) ?? { count: 0, endsAt: known?.endsAt ?? clock.now() + windowMs };
    window.count = Math.max(window.count, known?.count ?? 0) + 1;
    this.#windows.set(key, window);
    return window;
  }

  #current(key: string): { count: number; endsAt: number } | undefined {
    const window = this.#windows.get(key);
    return window !== undefined && window.endsAt > this.#options.clock.now() ? window : undefined;
  }
}
