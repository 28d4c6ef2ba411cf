/** Goes on with checks that their updater could not answer in the time of a request. */

import type { World } from '../../../gateway/handler.ts';
import { backoffMs, type Duty } from '../../../jobs/worker.ts';
import type { Store } from '../../../store/transaction.ts';
import { cardOf, checkOf, pendingMsMax, settleCheck } from './pending-check.ts';
import type { AskedUpdater } from './updater.ts';

/** An updater that is down, or has to ask others, is asked again after so long. */
const againMs = { first: 2_000, most: 5 * 60_000 };

export const checkDuty = (store: Pick<Store, 'write'>, world: World, updater: AskedUpdater): Duty =>
  Object.freeze<Duty>({
    kind: 'check',
    atOnceMax: 8,
    leaseMs: 30_000,
    everyMs: 1_000,
    async perform(job) {
      const heard = await updater.ask(cardOf(job, world), checkOf(job).id);
      const isOver = world.clock.now() - job.createdAt > pendingMsMax;
      if (heard.kind === 'pending' && !isOver)
        return {
          againMs: backoffMs(job.attempts, againMs.first, againMs.most),
          because: 'the updater has not told yet',
        };
      const fate = heard.kind === 'pending' ? ({ kind: 'failed' } as const) : heard;
      await store.write((unit) => settleCheck(job, fate, unit, world));
      return 'ended';
    },
  });
