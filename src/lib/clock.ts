/** Time, as the machine tells it. */
import type { Clock } from './clock-and-ids.ts';

export const clock: Clock = Object.freeze({ now: () => Date.now() });
