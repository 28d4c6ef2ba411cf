/** Ends the checks of files that nobody has answered in time: each with the result Error. */

import type { World } from '../../../../gateway/handler.ts';
import type { Duty } from '../../../../jobs/worker.ts';
import type { Store } from '../../../../store/transaction.ts';
import type { UpdaterWatch } from '../events.ts';
import { settleCheck } from '../pending-check.ts';

export const overdueDuty = (store: Pick<Store, 'write'>, world: World, watch: UpdaterWatch): Duty =>
  Object.freeze<Duty>({
    kind: 'answer',
    atOnceMax: 8,
    leaseMs: 30_000,
    everyMs: 5_000,
    async perform(job) {
      await store.write((unit) => settleCheck(job, { kind: 'failed' }, unit, world));
      watch.tell({ kind: 'overdue', checks: 1 });
      return 'ended';
    },
  });
