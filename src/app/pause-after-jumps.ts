/** Keeps a server from deleting by a clock that was set while it runs. */

import type { Backend } from '../backend/backend.ts';
import type { Log } from '../http/log.ts';
import type { ObservedState } from '../http/metrics/gauges.ts';

/**
 * The returned function wraps work that deletes by time. It does nothing after a jump of a clock, until that clock is right again or
 * the server starts anew. Log and metrics say so.
 */
export function pauseAfterJumps(
  { clockCheck }: Pick<Backend, 'clockCheck'>,
  log: Pick<Log, 'write'>,
  metrics: Pick<ObservedState, 'deletionPaused'>,
): (work: () => Promise<unknown>) => () => Promise<void> {
  return (work) => async () => {
    const wasPaused = metrics.deletionPaused ?? false;
    const jump = await clockCheck.findJump();
    const isPaused = jump !== undefined;
    metrics.deletionPaused = isPaused;
    if (isPaused && !wasPaused) log.write('error', 'a clock was set: nothing is deleted by time', { reason: jump });
    if (!isPaused && wasPaused) log.write('info', 'the clock is right again: deletion by time goes on');
    if (!isPaused) await work();
  };
}
