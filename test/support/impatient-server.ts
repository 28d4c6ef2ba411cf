/** A control: a server as it is, but for its webhooks, which count as delivered before they are sent. */

import { openBackend } from '../../src/app/backend.ts';
import { readConfig } from '../../src/app/config.ts';
import { startServer } from '../../src/app/server.ts';
import type { JobQueue, TakenJob } from '../../src/jobs/job.ts';
import type { DetailStore, ImportTransaction } from '../../src/services/recurring/store/repository.ts';

const config = readConfig('production');
const room = await openBackend(config, { exclusive: true });

const endAtOnce = (taken: readonly TakenJob[]) =>
  room.store.write(async (unit) => {
    for (const job of taken) await unit.endJob(job);
  });
const jobs: JobQueue = {
  ...room.jobs,
  async take(kind, options) {
    const taken = await room.jobs.take(kind, options);
    if (kind === 'webhook') await endAtOnce(taken);
    return taken;
  },
};
/** It has ended already. */
const endless = (unit: ImportTransaction): ImportTransaction => ({
  ...unit,
  endJob: async (job) => (job.kind === 'webhook' ? undefined : unit.endJob(job)),
});
const details: DetailStore = { ...room.store, write: (work) => room.store.write((unit) => work(endless(unit))) };

const running = await startServer(config, { ...room, jobs, store: details });
process.stdout.write(`ready: callers at ${running.callers}, admin at ${running.admin}\n`);
process.once('SIGTERM', async () => {
  await running.stop();
  process.exit();
});
