/** How busy the event loop of this process is. */
import { performance } from 'node:perf_hooks';

/** Returns a function: the share of the time since its last call, or since now, in which the event loop was busy, from 0 to 1. */
export function measureEventLoop(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
