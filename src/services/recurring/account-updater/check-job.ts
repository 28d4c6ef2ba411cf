/** Goes on with checks that their updater could not answer in the time of a request. */

import type { HandlerContext } from '../../../gateway/handler.ts';
import type { JobHandler } from '../../../jobs/worker.ts';
import { type Backoff, backoffMs } from '../../../lib/retry.ts';
import type { Store } from '../../../store/store.ts';
import { updaterCheck } from './job-kinds.ts';
import { cardOf, checkOf, completeCheck, pendingMsMax } from './pending-check.ts';
import type { HttpUpdater } from './updater.ts';

/** An updater that is down, or has to ask others, is asked again after so long. */
const backoff: Backoff = { firstMs: 2_000, maxMs: 5 * 60_000 };

export const createCheckHandler = (
  store: Pick<Store, 'write'>,
  world: HandlerContext,
  updater: HttpUpdater,
): JobHandler =>
  Object.freeze<JobHandler>({
    kind: updaterCheck,
    concurrencyMax: 8,
    leaseMs: 30_000,
    pollIntervalMs: 1_000,
    async run(job) {
      const heard = await updater.ask(cardOf(job, world), checkOf(job).id);
      const isOver = world.clock.now() - job.createdAt > pendingMsMax;
      if (heard.kind === 'pending' && !isOver)
        return {
          againMs: backoffMs(job.attempts, backoff),
          because: 'the updater has not told yet',
        };
      const fate = heard.kind === 'pending' ? ({ kind: 'failed' } as const) : heard;
      await store.write((tx) => completeCheck(job, fate, tx, world));
      return 'ended';
    },
  });
