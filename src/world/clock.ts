/** Time, as the machine tells it. */
import type { Clock } from '../domain/ports/world.ts';

export const clock: Clock = Object.freeze({ now: () => Date.now() });
