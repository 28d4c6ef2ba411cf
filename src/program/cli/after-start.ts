import { flushCompileCache } from 'node:module';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const startMs = 2_000;
const observedMs = 1_000;
const idleShareMax = 0.05;

/** Two seconds after the start: stores what V8 compiled. One second later, of an idle process: returns the memory that only the start needed. */
export function settleAfterStart(): void {
  setTimeout(() => {
    // Node writes its compile cache when the process ends, and a server may be killed instead. The cache has the flags of the start.
    flushCompileCache();
    setFlagsFromString('--semi-space-growth-factor=2');
    const before = performance.eventLoopUtilization();
    setTimeout(() => {
      // This stops the process for some 70 ms. V8 collects the garbage of a busy one anyway.
      if (performance.eventLoopUtilization(before).utilization < idleShareMax) collectGarbage();
    }, observedMs).unref();
  }, startMs).unref();
}

/** V8 offers it to new contexts once the flag is set. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  // The kind that compacts, so that memory returns to the system.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
