/** The batch cycle, run by one process every few seconds: waiting checks are collected into files, response files are read. */
import { randomBytes } from 'node:crypto';
import type { HandlerContext } from '../../../../core/gateway/index.ts';
import type { Clock } from '../../../../core/lib/index.ts';
import type { Store } from '../../../../stores/index.ts';
import type { JobHandler } from '../../../../stores/jobs/index.ts';
import type { UpdaterEvents } from '../events.ts';
import { batchCycle, batchResponse } from '../job-kinds.ts';
import { completeCheck, pendingMsMax } from '../pending-check.ts';
import type { BatchQueue } from '../store/batch.ts';
import { openFolders } from './folders.ts';
import { type ResponseDependencies, readResponses } from './responses.ts';

interface BatchLimits {
  /** Checks wait about this long at most before they are in a file, in milliseconds. */
  readonly waitMsMax: number;
  /** The most checks of a file; so many do not wait. */
  readonly rowsMax: number;
}

export interface BatchCycleDependencies extends ResponseDependencies {
  readonly batchQueue: BatchQueue;
  readonly events: UpdaterEvents;
}

const intervalMs = 2_000;
/** For reading responses in one cycle: less than the lease, so that no other process begins one, and than a stop may wait. */
const readingMsMax = 5_000;
const leaseMs = 60_000;

export function createBatchCycleHandler(
  folder: string,
  limits: BatchLimits,
  dependencies: BatchCycleDependencies,
): JobHandler {
  const { batchQueue, events, context } = dependencies;
  return Object.freeze<JobHandler>({
    kind: batchCycle,
    concurrencyMax: 1,
    leaseMs,
    pollIntervalMs: 1_000,
    async run() {
      const deadline = performance.now() + readingMsMax;
      await collectDue(batchQueue, context.clock, limits);
      const shouldStop = () => performance.now() > deadline;
      const isDone = await readResponses(openFolders(folder), dependencies, events, shouldStop);
      return { deferMs: isDone ? intervalMs : 0 };
    },
  });
}

/** Collects all waiting checks into files of `rowsMax` at most; returns the names of the files. */
export async function collectAll(batchQueue: BatchQueue, clock: Clock, rowsMax: number): Promise<readonly string[]> {
  const files: string[] = [];
  for (;;) {
    const file = fileName(clock);
    const checks = await batchQueue.collect(file, { max: rowsMax, answerMsMax: pendingMsMax });
    if (checks > 0) files.push(file);
    if (checks < rowsMax) return files;
  }
}

async function collectDue(batchQueue: BatchQueue, clock: Clock, { waitMsMax, rowsMax }: BatchLimits): Promise<void> {
  const { checks, longestMs } = await batchQueue.findWaiting(rowsMax);
  if (checks > 0 && (checks >= rowsMax || longestMs >= waitMsMax)) await collectAll(batchQueue, clock, rowsMax);
}

/** `checks-20261121T164954Z-1f6b02c9.jsonl`: files sort by the time of their collection. */
function fileName({ now }: Clock): string {
  const time = new Date(now()).toISOString().replace(/[-:]|\.\d+/g, '');
  return `checks-${time}-${randomBytes(4).toString('hex')}.jsonl`;
}

/** Ends checks in batch files for which no response came in time: each with the result Error. */
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
