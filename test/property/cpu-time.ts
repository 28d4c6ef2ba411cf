/** Measures work in CPU time, which other load on the machine does not change. */

/** The CPU time of this thread so far, in milliseconds. */
export const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** The shortest of three times, in milliseconds. */
export const shortestMs = (work: () => unknown): number => {
  const times = [1, 2, 3].map(() => {
    const startedAt = cpuMs();
    work();
    return cpuMs() - startedAt;
  });
  return Math.min(...times);
};

/** The limit for a body of 64 KiB, which blocks the process for other callers. */
export const bodyMsMax = 100;
