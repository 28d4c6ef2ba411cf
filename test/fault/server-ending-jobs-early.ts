/** A seeded defect: a server that ends webhook jobs before it sends them. */

import { startServer } from '../../src/program/app/server.ts';
import type { JobQueue, TakenJob } from '../../src/stores/jobs/job.ts';
import { override, overrideWrites } from '../support/override.ts';
import { openBuiltIn, readConfig } from '../support/services.ts';
import { announce } from './injection/crash-points.ts';

const config = readConfig('production');
const backend = await openBuiltIn(config, { exclusive: true });

const endAtOnce = (taken: readonly TakenJob[]) =>
  backend.store.write(async (tx) => {
    for (const job of taken) await tx.jobs.end(job);
  });
const jobs: JobQueue = {
  ...backend.jobs,
  async take(kind, options) {
    const taken = await backend.jobs.take(kind, options);
    if (kind === 'webhook') await endAtOnce(taken);
    return taken;
  },
};
/** Ends no webhook job, because `take` has ended it. */
const store = overrideWrites(backend.store, (tx) =>
  override(tx, {
    jobs: override(tx.jobs, { end: async (job) => (job.kind === 'webhook' ? undefined : tx.jobs.end(job)) }),
  }),
);

announce(await startServer(config, { ...backend, jobs, store }));
