/** Polls for a condition that sends no event: the longer it lasts, the less often, since a probe may cost much CPU time. */
import { setTimeout as after } from 'node:timers/promises';

/** Ends what hangs: far above what a machine with much else to do needs. */
export const hangMsMax = 300_000;

/** Between two probes. */
const pauseMs = { min: 10, max: 100 } as const;

/**
 * Polls until `holds` returns true; a probe that throws counts as false. Rejects after `msMax` with the description `what`
 * or with the value that it returns.
 */
export const until = async (
  what: string | (() => unknown),
  holds: () => boolean | Promise<boolean>,
  msMax = hangMsMax,
): Promise<void> => {
  const startedAt = performance.now();
  for (;;) {
    try {
      if (await holds()) return;
    } catch {
      // Not yet.
    }
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > msMax)
      throw new Error(`${typeof what === 'string' ? what : JSON.stringify(await what())}: not within ${msMax} ms`);
    await after(Math.min(Math.max(waitedMs / 20, pauseMs.min), pauseMs.max));
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
