/** Writes a file of checks: aside, to the disk, and then under its name; what has its name is whole, and stays as it is. */
import { createWriteStream, existsSync, type WriteStream } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { HandlerContext } from '../../../../gateway/handler.ts';
import type { TakenJob } from '../../../../jobs/job.ts';
import type { JobHandler } from '../../../../jobs/worker.ts';
import type { Store } from '../../../../store/store.ts';
import type { UpdaterEvents } from '../events.ts';
import { batchFile } from '../job-kinds.ts';
import { cardOf, checkOf } from '../pending-check.ts';
import { type Folders, openFolders } from './folders.ts';
import type { BatchQueue } from './queue.ts';

const checksPerPage = 200;

export interface RequestFileParts {
  readonly store: Pick<Store, 'write'>;
  readonly gathering: BatchQueue;
  readonly world: HandlerContext;
  readonly watch: UpdaterEvents;
}

const rowOf = (job: TakenJob, world: HandlerContext): string => {
  const { expiry, number } = cardOf(job, world);
  const { expiryMonth, expiryYear } = expiry;
  const { merchantAccount } = checkOf(job);
  const row = { check: job.jobId, merchantAccount, number: number(), expiryMonth, expiryYear };
  return `${JSON.stringify(row)}\n`;
};

async function* pagesOf(file: string, gathering: BatchQueue): AsyncGenerator<readonly TakenJob[]> {
  for (let last: TakenJob | undefined; ; ) {
    const page = await gathering.findBatchedChecks(file, checksPerPage, last);
    if (page.length > 0) yield page;
    if (page.length < checksPerPage) return;
    last = page.at(-1);
  }
}

const drained = (stream: WriteStream): Promise<void> => new Promise((resolve) => stream.once('drain', resolve));

/** Gives how many checks it has written; all of them are on the disk. */
const writeAside = async (path: string, file: string, { gathering, world }: RequestFileParts): Promise<number> => {
  const stream = createWriteStream(path, { mode: 0o600, flush: true });
  const isFinished = finished(stream);
  // Awaited below; a failure before that must not pass for one that nobody heard of.
  isFinished.catch(() => {});
  let checks = 0;
  try {
    for await (const page of pagesOf(file, gathering)) {
      checks += page.length;
      if (!stream.write(page.map((job) => rowOf(job, world)).join('')))
        await Promise.race([drained(stream), isFinished]);
    }
    stream.end();
    await isFinished;
    return checks;
  } finally {
    stream.destroy();
  }
};

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** What those left behind who died while they wrote it: it holds card numbers. */
const removeAsides = async (folder: string, file: string): Promise<void> => {
  for (const name of await readdir(folder))
    if (name.startsWith(`.${file}.`)) await rm(join(folder, name), { force: true });
};

/**
 * Gives how many checks it has written: none where the file is there, which is whole then; and where none waits any more,
 * in which case there is no file.
 */
export const writeRequestFile = async (
  file: string,
  writer: string,
  { requests }: Folders,
  parts: RequestFileParts,
): Promise<number> => {
  const aside = join(requests, `.${file}.${writer}`);
  try {
    if (existsSync(join(requests, file))) return 0;
    const checks = await writeAside(aside, file, parts);
    if (checks > 0) await rename(aside, join(requests, file));
    return checks;
  } finally {
    await removeAsides(requests, file);
    await syncFolder(requests);
  }
};

export const createRequestFileHandler = (folder: string, parts: RequestFileParts): JobHandler =>
  Object.freeze<JobHandler>({
    kind: batchFile,
    concurrencyMax: 1,
    leaseMs: 60_000,
    pollIntervalMs: 2_000,
    async run(job) {
      const checks = await writeRequestFile(job.jobId, job.leaseOwner, openFolders(folder), parts);
      await parts.store.write((tx) => tx.jobs.end(job));
      if (checks > 0) parts.watch.emit({ kind: 'written', file: job.jobId, checks });
      return 'ended';
    },
  });
