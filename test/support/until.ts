/** Polls for a condition that sends no event. */
import { setTimeout as after } from 'node:timers/promises';

/** Ends what hangs: far above what a machine with much else to do needs. */
export const hangMsMax = 300_000;

/**
 * Polls until `holds` returns true; a probe that throws counts as false. Rejects after `msMax` with the description `what`
 * or with the value that it returns.
 */
export const until = async (
  what: string | (() => unknown),
  holds: () => boolean | Promise<boolean>,
  msMax = hangMsMax,
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

/**
 * Repeats the attempt of a control until it returns true: a seeded defect that shows by chance shows late on a busy machine.
 * Returns false after `msMax`.
 */
export async function isFoundWithin(attempt: () => Promise<boolean>, msMax = 600_000): Promise<boolean> {
  const endsAt = performance.now() + msMax;
  while (performance.now() < endsAt) if (await attempt()) return true;
  return false;
}
