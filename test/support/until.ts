/** Waits for what a test cannot be told of. */
import { setTimeout as after } from 'node:timers/promises';

/**
 * Waits until it holds; a probe that throws does not hold yet. Rejects after `msMax`, saying what was waited for:
 * in words, or as what is there instead.
 */
export const until = async (
  what: string | (() => unknown),
  holds: () => boolean | Promise<boolean>,
  msMax = 30_000,
): Promise<void> => {
  const endsAt = performance.now() + msMax;
  for (;;) {
    try {
      if (await holds()) return;
    } catch {
      // Not yet.
    }
    if (performance.now() > endsAt)
      throw new Error(`${typeof what === 'string' ? what : JSON.stringify(await what())}: not within ${msMax} ms`);
    await after(10);
  }
};
