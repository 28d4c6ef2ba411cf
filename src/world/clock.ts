/** Time, as the machine tells it. */
import type { Clock } from '../domain/ports.ts';

export const clock: Clock = Object.freeze({ now: () => Date.now() });
