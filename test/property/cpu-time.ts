/** Measures work in CPU time, which other load on the machine changes little. */
import { isNightly } from '../support/nightly.ts';

/** The CPU time of this thread so far, in milliseconds. */
export const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/**
 * The limit for a body of 64 KiB, which blocks the process for other callers. What takes quadratic time is far above either; the
 * nightly run also finds what is slow by a factor.
 */
export const bodyMsMax = isNightly ? 100 : 300;

/** The shortest of three times, in milliseconds; the first one that is below the limit ends them. */
export const shortestMs = (work: () => unknown): number => {
  let shortest = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 3 && shortest >= bodyMsMax; times += 1) {
    const startedAt = cpuMs();
    work();
    shortest = Math.min(shortest, cpuMs() - startedAt);
  }
  return shortest;
};
