/** Runs the jobs of one kind as they fall due, a few at the same time, until it is stopped. */
import { setTimeout } from 'node:timers/promises';
import { type Backoff, backoffMs } from '../../core/lib/index.ts';
import { type JobKind, type JobQueue, LeaseLost, type TakenJob } from './job.ts';

/** How a job ended: completed with its effect, to be retried, deferred without counting the attempt, or abandoned. */
export type JobResult =
  | 'ended'
  /** `leavesOrder`: the jobs behind it in its ordering key no longer wait for it. */
  | { readonly retryAfterMs: number; readonly because: string; readonly leavesOrder?: boolean }
  | { readonly deferMs: number }
  | { readonly abandonReason: string };

export interface JobHandler {
  readonly kind: JobKind;
  /** Jobs that a process runs at the same time. */
  readonly concurrencyMax: number;
  /** Longer than a job ever takes. When it expires, another process may take the job. */
  readonly leaseMs: number;
  /** Poll interval, for jobs of other processes and for retries. */
  readonly pollIntervalMs: number;
  /**
   * Deletes the job in the transaction of its effect and returns 'ended', or leaves it. A job that throws is retried.
   * `cutOff`: aborts when the time to stop is over. A handler that waits long then defers the job by 0.
   * `stepAside`: from its call on the job does not count towards `concurrencyMax`. The handler bounds how many do not.
   */
  run(job: TakenJob, cutOff: AbortSignal, stepAside?: () => void): Promise<JobResult>;
}

export interface Worker {
  /** Looks for due jobs now. */
  nudge(): void;
  /** Takes no more jobs, and waits for those that run. They end early when `cutOff` aborts. */
  stop(cutOff?: AbortSignal): Promise<void>;
}

interface WorkerDependencies {
  readonly jobs: JobQueue;
  /** Names the process among those that share the store. */
  readonly leaseOwner: string;
  failed(thrown: unknown): void;
  /** Absent where nothing observes jobs. */
  readonly observer?: JobObserver | undefined;
}

interface JobObserver {
  /** `waitSeconds`: since the job was saved, for its first attempt. */
  started(kind: JobKind, waitSeconds: number | undefined): void;
  ended(kind: JobKind, outcome: JobOutcome): void;
}

/** How an attempt ended. `failed`: the handler threw, and the job is retried. */
type JobOutcome = 'ended' | 'retried' | 'deferred' | 'abandoned' | 'failed' | 'leaseLost';

/** Between two looks for due jobs: each is a transaction, which takes all that fell due meanwhile. */
const takeIntervalMs = 50;

/** After an unexpected failure. */
const backoff: Backoff = { firstMs: 1_000, maxMs: 60_000 };

export function startWorker(dependencies: WorkerDependencies, handler: JobHandler): Worker {
  const { jobs, leaseOwner, failed } = dependencies;
  const { kind, concurrencyMax, leaseMs, pollIntervalMs } = handler;
  const stopping = new AbortController();
  const interrupted = new AbortController();
  /** Jobs that count towards the limit, and all jobs. */
  const counted = new Set<TakenJob>();
  const running = new Set<Promise<void>>();
  let nudged = false;
  let wake = (): void => {};

  /** Waits until a job may be due, or until one that runs has ended or stepped aside. */
  async function rest(): Promise<void> {
    if (nudged || stopping.signal.aborted) return;
    const waiting = new AbortController();
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const jittered = pollIntervalMs * (0.75 + Math.random() / 2);
    const timer = setTimeout(jittered, undefined, { signal: waiting.signal, ref: false });
    await Promise.race([woken, timer]).catch(() => {});
    waiting.abort();
    await timer.catch(() => {});
  }

  /** Returns whether more jobs may be due. */
  async function takeDue(): Promise<boolean> {
    const max = concurrencyMax - counted.size;
    // Several at a time: taking each one by itself would cost a transaction each.
    if (2 * max < concurrencyMax) return false;
    const taken = await jobs.take(kind, { leaseOwner, leaseMs, max });
    for (const job of taken) start(job);
    return taken.length === max && 2 * counted.size <= concurrencyMax;
  }

  function start(job: TakenJob): void {
    counted.add(job);
    const stepAside = (): void => {
      counted.delete(job);
      wake();
    };
    const run = runJob({ job, handler, cutOff: interrupted.signal, stepAside }, dependencies).finally(() => {
      running.delete(run);
      stepAside();
    });
    running.add(run);
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      nudged = false;
      const takenAt = performance.now();
      try {
        if (await takeDue()) continue;
      } catch (thrown) {
        failed(thrown);
      }
      await rest();
      const earlyMs = takenAt + takeIntervalMs - performance.now();
      if (earlyMs > 0) await setTimeout(earlyMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const ended = loop();
  return Object.freeze({
    nudge() {
      nudged = true;
      wake();
    },
    async stop(cutOff?: AbortSignal) {
      if (cutOff?.aborted) interrupted.abort();
      cutOff?.addEventListener('abort', () => interrupted.abort());
      stopping.abort();
      wake();
      await ended;
      await Promise.all(running);
    },
  });
}

interface Run {
  readonly job: TakenJob;
  readonly handler: JobHandler;
  readonly cutOff: AbortSignal;
  readonly stepAside: () => void;
}

async function runJob(run: Run, dependencies: WorkerDependencies): Promise<void> {
  const { kind, attempts, ageMs } = run.job;
  const { observer } = dependencies;
  observer?.started(kind, attempts === 1 ? ageMs / 1000 : undefined);
  // Not as an argument: without an observer it would not be evaluated.
  const outcome = await attempt(run, dependencies);
  observer?.ended(kind, outcome);
}

async function attempt(
  { job, handler, cutOff, stepAside }: Run,
  { jobs, failed }: WorkerDependencies,
): Promise<JobOutcome> {
  try {
    return await applyResult(job, await handler.run(job, cutOff, stepAside), jobs);
  } catch (thrown) {
    // The process that has the lease now continues with the job; nothing of this attempt was committed.
    if (thrown instanceof LeaseLost) return 'leaseLost';
    failed(thrown);
    const retryAfterMs = backoffMs(job.attempts, backoff);
    // If this fails, too, the job is due again when its lease expires.
    await applyResult(job, { retryAfterMs, because: 'an unexpected failure: see the log' }, jobs).catch(() => {});
    return 'failed';
  }
}

async function applyResult(job: TakenJob, result: JobResult, jobs: JobQueue): Promise<JobOutcome> {
  if (result === 'ended') return 'ended';
  if ('abandonReason' in result) {
    await jobs.abandon(job, result.abandonReason);
    return 'abandoned';
  }
  if ('deferMs' in result) {
    await jobs.defer(job, result.deferMs);
    return 'deferred';
  }
  const { retryAfterMs, because, leavesOrder } = result;
  await jobs.retryLater(job, retryAfterMs, because, leavesOrder);
  return 'retried';
}
