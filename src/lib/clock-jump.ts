/** Measures jumps of a wall clock against the monotonic clock. */
import { monotonicClock } from './clock.ts';

/**
 * The returned function takes the present time of a wall clock, and returns by how many milliseconds that clock has jumped
 * ahead since the first call; 0 where it has not.
 */
export function createJumpMeter(clock = monotonicClock): (wallMs: number) => number {
  let least = Number.POSITIVE_INFINITY;
  return (wallMs) => {
    const offset = wallMs - clock.now();
    least = Math.min(least, offset);
    return offset - least;
  };
}
