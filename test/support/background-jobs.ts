/** Has the jobs of a kind done now, as a serving process would do them. */
import type { JobHandler } from '../../src/jobs/worker.ts';
import type { GatewayParts } from './gateway.ts';

const leaseMs = 30_000;

/** All that are due, and those that come due by that; gives how many ended. */
export const perform = async ({ jobs }: Pick<GatewayParts, 'jobs'>, duty: JobHandler): Promise<number> => {
  let ended = 0;
  for (;;) {
    const taken = await jobs.take(duty.kind, { holder: 'the test', leaseMs, max: 100 });
    if (taken.length === 0) return ended;
    for (const job of taken) {
      const came = await duty.run(job);
      if (came === 'ended') ended += 1;
      else if ('againMs' in came) await jobs.retryLater(job, came.againMs, came.because);
      else if ('untriedMs' in came) await jobs.defer(job, Math.max(came.untriedMs, 1_000));
      else await jobs.abandon(job, came.givenUp);
    }
  }
};
