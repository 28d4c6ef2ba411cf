/** Writes the waiting checks into request files for a command. Servers may be running. */
import { randomUUID } from 'node:crypto';
import type { HandlerContext } from '../../../../core/gateway/index.ts';
import { refuse } from '../../../../operators/index.ts';
import type { JobQueue } from '../../../../stores/jobs/index.ts';
import type { RecurringParts } from '../../parts.ts';
import { batchFile } from '../job-kinds.ts';
import { collectAll } from './cycle.ts';
import { createRequestFileHandler } from './request-file.ts';

/** The lease of a serving process. */
const leaseMs = 60_000;
const filesAtOnce = 10;

/** Returns the paths of the written files. */
export async function gatherRequestFiles(
  { settings, accountUpdater }: Pick<RecurringParts, 'settings' | 'accountUpdater'>,
  { jobs, context }: { readonly jobs: JobQueue; readonly context: HandlerContext },
): Promise<readonly string[]> {
  const { updaterFolder: folder, updaterBatchRowsMax: rowsMax } = settings;
  if (folder === undefined) return refuse(`UPDATER is ${settings.updater}: only UPDATER=batch has request files`);
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
  return files.length === 0 ? ['no check waits for a file'] : files.map((file) => `${folder}/requests/${file}`);
}
