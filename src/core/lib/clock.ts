/** The clocks of this machine. */
import type { Clock } from './clock-and-ids.ts';

export const clock: Clock = Object.freeze({ now: () => Date.now() });

/** Never set back; its milliseconds are not since the epoch. */
export const monotonicClock: Clock = Object.freeze({ now: () => performance.now() });
