/** How long work takes in time of the processor: what else the machine is at meanwhile is not the work's doing. */

/** Of this thread, so far; milliseconds. */
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

/** No body of 64 KiB may take longer: it would keep the process from its other callers. */
export const bodyMsMax = 100;
