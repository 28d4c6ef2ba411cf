/** Repeats checks for which the HTTP updater had no outcome in the time of the request. */

import type { HandlerContext } from '../../../gateway/handler.ts';
import type { JobHandler } from '../../../jobs/worker.ts';
import { type Backoff, backoffMs } from '../../../lib/retry.ts';
import type { Store } from '../../../store/store.ts';
import { updaterCheck } from './job-kinds.ts';
import { cardOf, checkOf, completeCheck, pendingMsMax } from './pending-check.ts';
import type { AccountUpdateOutcome, HttpUpdater } from './updater.ts';

const backoff: Backoff = { firstMs: 2_000, maxMs: 5 * 60_000 };

export function createCheckHandler(
  store: Pick<Store, 'write'>,
  context: HandlerContext,
  updater: HttpUpdater,
): JobHandler {
  return Object.freeze<JobHandler>({
    kind: updaterCheck,
    concurrencyMax: 8,
    leaseMs: 30_000,
    pollIntervalMs: 1_000,
    async run(job) {
      const outcome = await updater.check(cardOf(job, context), checkOf(job).id, true);
      const isOverdue = job.ageMs > pendingMsMax;
      if (outcome.kind === 'pending' && !isOverdue)
        return { retryAfterMs: backoffMs(job.attempts, backoff), because: 'the updater has no outcome yet' };
      const last: AccountUpdateOutcome = outcome.kind === 'pending' ? { kind: 'failed' } : outcome;
      await store.write((tx) => completeCheck(job, last, tx, context));
      return 'ended';
    },
  });
}
