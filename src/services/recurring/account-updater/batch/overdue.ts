/** Ends checks in batch files for which no response came in time: each with the result Error. */

import type { HandlerContext } from '../../../../gateway/handler.ts';
import type { JobHandler } from '../../../../jobs/worker.ts';
import type { Store } from '../../../../store/store.ts';
import type { UpdaterEvents } from '../events.ts';
import { batchResponse } from '../job-kinds.ts';
import { completeCheck } from '../pending-check.ts';

export function createOverdueHandler(
  store: Pick<Store, 'write'>,
  context: HandlerContext,
  events: UpdaterEvents,
): JobHandler {
  return Object.freeze<JobHandler>({
    kind: batchResponse,
    concurrencyMax: 8,
    leaseMs: 30_000,
    pollIntervalMs: 5_000,
    async run(job) {
      await store.write((tx) => completeCheck(job, { kind: 'failed' }, tx, context));
      events.emit({ kind: 'overdue', checks: 1 });
      return 'ended';
    },
  });
}
