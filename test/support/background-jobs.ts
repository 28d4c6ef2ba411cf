/** Runs the due jobs of a kind at once, as a server does in the background. */
import type { JobHandler } from '../../src/stores/jobs/worker.ts';
import type { GatewayParts } from './gateway.ts';

const leaseMs = 30_000;

/** Runs all due jobs and those that become due meanwhile; returns how many ended. */
export const perform = async ({ jobs }: Pick<GatewayParts, 'jobs'>, handler: JobHandler): Promise<number> => {
  let ended = 0;
  for (;;) {
    const taken = await jobs.take(handler.kind, { leaseOwner: 'the test', leaseMs, max: 100 });
    if (taken.length === 0) return ended;
    for (const job of taken) {
      const result = await handler.run(job, new AbortController().signal);
      if (result === 'ended') ended += 1;
      else if ('retryAfterMs' in result) await jobs.retryLater(job, result.retryAfterMs, result.because);
      else if ('deferMs' in result) await jobs.defer(job, Math.max(result.deferMs, 1_000));
      else await jobs.abandon(job, result.abandonReason);
    }
  }
};
