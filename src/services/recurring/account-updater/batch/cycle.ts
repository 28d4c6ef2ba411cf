/** The round that one of all processes makes every few seconds: checks that have waited go into a file, answers are read. */
import { randomBytes } from 'node:crypto';
import type { ImportTarget } from '../../../../import/import-batch.ts';
import type { JobHandler } from '../../../../jobs/worker.ts';
import type { Clock } from '../../../../lib/clock-and-ids.ts';
import type { UpdaterEvents } from '../events.ts';
import { batchCycle } from '../job-kinds.ts';
import { pendingMsMax } from '../pending-check.ts';
import { readAnswers } from './answers.ts';
import { openFolders } from './folders.ts';
import type { BatchQueue } from './queue.ts';

export interface Schedule {
  /** Checks wait no longer than about this before they are in a file, in milliseconds. */
  readonly waitMsMax: number;
  /** As many as a file holds; so many do not wait. */
  readonly rowsMax: number;
}

const everyMs = 2_000;
/** For reading answers in one round: less than its lease, so that nobody else begins, and no longer than a stop may wait. */
const readingMsMax = 5_000;
const leaseMs = 60_000;

/** `checks-20261121T164954Z-1f6b02c9.jsonl`: files sort by the time at which they were gathered. */
export const fileName = ({ now }: Clock): string => {
  const time = new Date(now()).toISOString().replace(/[-:]|\.\d+/g, '');
  return `checks-${time}-${randomBytes(4).toString('hex')}.jsonl`;
};

/** Puts what waits into files of `rowsMax` at most; gives their names. */
export const collectAll = async (gathering: BatchQueue, clock: Clock, rowsMax: number): Promise<readonly string[]> => {
  const files: string[] = [];
  for (;;) {
    const file = fileName(clock);
    const checks = await gathering.collect(file, { max: rowsMax, answerMsMax: pendingMsMax });
    if (checks > 0) files.push(file);
    if (checks < rowsMax) return files;
  }
};

const gatherDue = async (gathering: BatchQueue, clock: Clock, { waitMsMax, rowsMax }: Schedule): Promise<void> => {
  const { checks, longestMs } = await gathering.findWaiting(rowsMax);
  if (checks > 0 && (checks >= rowsMax || longestMs >= waitMsMax)) await collectAll(gathering, clock, rowsMax);
};

export const createBatchCycleHandler = (
  folder: string,
  schedule: Schedule,
  {
    gathering,
    room,
    watch,
  }: { readonly gathering: BatchQueue; readonly room: ImportTarget; readonly watch: UpdaterEvents },
): JobHandler =>
  Object.freeze<JobHandler>({
    kind: batchCycle,
    concurrencyMax: 1,
    leaseMs,
    pollIntervalMs: 1_000,
    async run() {
      const until = performance.now() + readingMsMax;
      await gatherDue(gathering, room.context.clock, schedule);
      const isDone = await readAnswers(openFolders(folder), room, watch, () => performance.now() > until);
      return { untriedMs: isDone ? everyMs : 0 };
    },
  });
