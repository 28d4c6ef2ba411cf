/** A control: a server as it is, but for its webhooks, which count as delivered before they are sent. */

import { openStrongroom } from '../../src/app/backend.ts';
import { readConfig } from '../../src/app/config.ts';
import { startServer } from '../../src/app/server.ts';
import type { Jobs, TakenJob } from '../../src/jobs/job.ts';
import type { DetailStore, ImportUnit } from '../../src/services/recurring/store/repository.ts';

const config = readConfig('production');
const room = await openStrongroom(config, { exclusive: true });

const endAtOnce = (taken: readonly TakenJob[]) =>
  room.details.write(async (unit) => {
    for (const job of taken) await unit.endJob(job);
  });
const jobs: Jobs = {
  ...room.jobs,
  async take(kind, options) {
    const taken = await room.jobs.take(kind, options);
    if (kind === 'webhook') await endAtOnce(taken);
    return taken;
  },
};
/** It has ended already. */
const endless = (unit: ImportUnit): ImportUnit => ({
  ...unit,
  endJob: async (job) => (job.kind === 'webhook' ? undefined : unit.endJob(job)),
});
const details: DetailStore = { ...room.details, write: (work) => room.details.write((unit) => work(endless(unit))) };

const running = await startServer(config, { ...room, jobs, details });
process.stdout.write(`ready: callers at ${running.callers}, admin at ${running.admin}\n`);
process.once('SIGTERM', async () => {
  await running.stop();
  process.exit();
});
