/** Writes request files: under a temporary name, synced to disk, and then renamed. A file under its name is complete and never changes. */
import { createWriteStream, existsSync, type WriteStream } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { HandlerContext } from '../../../../core/gateway/index.ts';
import type { JobHandler, JobQueue, TakenJob } from '../../../../stores/jobs/index.ts';
import type { UpdaterEvents } from '../events.ts';
import { batchFile } from '../job-kinds.ts';
import { cardOf, checkOf } from '../pending-check.ts';
import type { BatchQueue } from '../store/batch.ts';
import { type Folders, openFolders } from './folders.ts';

const checksPerPage = 200;

export interface RequestFileDependencies {
  readonly jobs: Pick<JobQueue, 'end'>;
  readonly batchQueue: BatchQueue;
  readonly context: HandlerContext;
  readonly events: UpdaterEvents;
}

export function createRequestFileHandler(folder: string, dependencies: RequestFileDependencies): JobHandler {
  return Object.freeze<JobHandler>({
    kind: batchFile,
    concurrencyMax: 1,
    leaseMs: 60_000,
    pollIntervalMs: 2_000,
    async run(job) {
      const checks = await writeRequestFile(job.jobId, job.leaseOwner, openFolders(folder), dependencies);
      await dependencies.jobs.end(job);
      if (checks > 0) dependencies.events.emit({ kind: 'written', file: job.jobId, checks });
      return 'ended';
    },
  });
}

/** Returns the number of checks written: none where the file exists, which is complete then, or where no check waits for it. */
export async function writeRequestFile(
  file: string,
  writer: string,
  { requests }: Folders,
  dependencies: Pick<RequestFileDependencies, 'batchQueue' | 'context'>,
): Promise<number> {
  const temporary = join(requests, `.${file}.${writer}`);
  try {
    if (existsSync(join(requests, file))) return 0;
    const checks = await writeChecks(temporary, file, dependencies);
    if (checks > 0) await rename(temporary, join(requests, file));
    return checks;
  } finally {
    await removeTemporaryFiles(requests, file);
    await syncFolder(requests);
  }
}

/** Returns the number of checks, once all of them are on the disk. */
async function writeChecks(
  path: string,
  file: string,
  { batchQueue, context }: Pick<RequestFileDependencies, 'batchQueue' | 'context'>,
): Promise<number> {
  const stream = createWriteStream(path, { mode: 0o600, flush: true });
  const isFinished = finished(stream);
  // Awaited below; an earlier failure must not count as an unhandled rejection.
  isFinished.catch(() => {});
  let checks = 0;
  try {
    for await (const page of pagesOf(file, batchQueue)) {
      checks += page.length;
      if (!stream.write(page.map((job) => rowOf(job, context)).join('')))
        await Promise.race([drained(stream), isFinished]);
    }
    stream.end();
    await isFinished;
    return checks;
  } finally {
    stream.destroy();
  }
}

async function* pagesOf(file: string, batchQueue: BatchQueue): AsyncGenerator<readonly TakenJob[]> {
  for (let last: TakenJob | undefined; ; ) {
    const page = await batchQueue.findBatchedChecks(file, checksPerPage, last);
    if (page.length > 0) yield page;
    if (page.length < checksPerPage) return;
    last = page.at(-1);
  }
}

function rowOf(job: TakenJob, context: HandlerContext): string {
  const { expiry, number } = cardOf(job, context);
  const { expiryMonth, expiryYear } = expiry;
  const { merchantAccount } = checkOf(job);
  const row = { check: job.jobId, merchantAccount, number: number(), expiryMonth, expiryYear };
  return `${JSON.stringify(row)}\n`;
}

function drained(stream: WriteStream): Promise<void> {
  return new Promise((resolve) => stream.once('drain', resolve));
}

/** Also those of writers that died: they hold card numbers. */
async function removeTemporaryFiles(folder: string, file: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(`.${file}.`)) await rm(join(folder, name), { force: true });
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
