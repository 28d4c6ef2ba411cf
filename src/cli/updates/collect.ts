/** Files of checks now, without waiting for the schedule: gathered and written beside any server. */

import { randomUUID } from 'node:crypto';
import { collectAll } from '../../services/recurring/account-updater/batch/cycle.ts';
import { createRequestFileHandler } from '../../services/recurring/account-updater/batch/request-file.ts';
import { batchFile } from '../../services/recurring/account-updater/job-kinds.ts';
import { CommandError } from '../command-error.ts';
import { print } from '../output.ts';
import { withBackend } from '../with-backend.ts';

/** As long as a serving process has it. */
const leaseMs = 60_000;
const filesAtOnce = 10;

/** Gathers and writes what waits, and says where it is. */
export const gatherRequestFiles = (): Promise<void> =>
  withBackend(async ({ batchQueue, jobs, context, updaterEvents: events }, config) => {
    const { updaterFolder: folder, updaterBatchRowsMax: rowsMax } = config;
    if (folder === undefined)
      throw new CommandError([`UPDATER is ${config.updater}: only UPDATER=batch has files of checks`]);
    const holder = randomUUID();
    const duty = createRequestFileHandler(folder, { jobs, batchQueue, context, events });
    const gathered = await collectAll(batchQueue, context.clock, rowsMax);
    // Those that a server gathered and did not write, too; one that is just being written is somebody else's.
    for (;;) {
      const taken = await jobs.take(batchFile, { holder, leaseMs, max: filesAtOnce });
      if (taken.length === 0) break;
      for (const job of taken) await duty.run(job);
    }
    const said =
      gathered.length === 0 ? ['no check waits for a file'] : gathered.map((file) => `${folder}/requests/${file}`);
    print(...said);
  });
