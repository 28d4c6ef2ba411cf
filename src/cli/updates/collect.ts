/** `triglyph updates gather`: writes waiting checks into request files without waiting for the schedule. */
import { randomUUID } from 'node:crypto';
import { collectAll } from '../../services/recurring/account-updater/batch/cycle.ts';
import { createRequestFileHandler } from '../../services/recurring/account-updater/batch/request-file.ts';
import { batchFile } from '../../services/recurring/account-updater/job-kinds.ts';
import { recurring } from '../../services/recurring/index.ts';
import { CommandError } from '../command-error.ts';
import { print } from '../output.ts';
import { withBackend } from '../with-backend.ts';

/** The lease of a serving process. */
const leaseMs = 60_000;
const filesAtOnce = 10;

/** Prints the paths of the written files. Servers may be running. */
export function gatherRequestFiles(): Promise<void> {
  return withBackend(async (backend) => {
    const { jobs, context } = backend;
    const { settings, accountUpdater } = recurring.sharedIn(backend);
    const { updaterFolder: folder, updaterBatchRowsMax: rowsMax } = settings;
    if (folder === undefined)
      throw new CommandError([`UPDATER is ${settings.updater}: only UPDATER=batch has request files`]);
    const { batchQueue, events } = accountUpdater;
    const handler = createRequestFileHandler(folder, { jobs, batchQueue, context, events });
    const files = await collectAll(batchQueue, context.clock, rowsMax);
    const leaseOwner = randomUUID();
    const neverCutOff = new AbortController().signal;
    // Includes files that a server has collected and not written. Files that a server is writing are leased.
    for (;;) {
      const taken = await jobs.take(batchFile, { leaseOwner, leaseMs, max: filesAtOnce });
      if (taken.length === 0) break;
      for (const job of taken) await handler.run(job, neverCutOff);
    }
    print(...(files.length === 0 ? ['no check waits for a file'] : files.map((file) => `${folder}/requests/${file}`)));
  });
}
