/** Takes jobs of one kind as they fall due and does them, a few at a time, for as long as the process serves. */
import { setTimeout } from 'node:timers/promises';
import { type Backoff, backoffMs } from '../lib/retry.ts';
import { type JobKind, type JobQueue, LeaseLost, type TakenJob } from './job.ts';

/** What came of a job: it has ended with its effect, comes again, comes again untried, or is beyond help. */
export type JobResult =
  | 'ended'
  | { readonly againMs: number; readonly because: string }
  | { readonly untriedMs: number }
  | { readonly givenUp: string };

/** How jobs of a kind are done. */
export interface JobHandler {
  readonly kind: JobKind;
  /** Jobs that a process is at. */
  readonly concurrencyMax: number;
  /** Longer than a job ever takes; when it is over, somebody else may take it. */
  readonly leaseMs: number;
  /** How often is looked for jobs that nobody has announced: those of other processes, and those that come again. */
  readonly pollIntervalMs: number;
  /** Ends the job in the unit of its effect, and says 'ended'; or leaves it. May throw: then it comes again. */
  run(job: TakenJob): Promise<JobResult>;
}

export interface Worker {
  /** There may be something to do. */
  nudge(): void;
  /** Takes no more, and waits for what it is at. */
  stop(): Promise<void>;
}

export interface WorkerDependencies {
  readonly jobs: JobQueue;
  /** Names the process among those that share the store. */
  readonly leaseOwner: string;
  failed(thrown: unknown): void;
}

/** After an unexpected failure. */
const backoff: Backoff = { firstMs: 1_000, maxMs: 60_000 };

export const startWorker = ({ jobs, leaseOwner: holder, failed }: WorkerDependencies, duty: JobHandler): Worker => {
  const { kind, concurrencyMax: atOnceMax, leaseMs, pollIntervalMs: everyMs } = duty;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let nudged = false;
  let wake = (): void => {};

  const settle = async (job: TakenJob, came: JobResult): Promise<void> => {
    if (came === 'ended') return;
    if ('givenUp' in came) await jobs.abandon(job, came.givenUp);
    else if ('untriedMs' in came) await jobs.defer(job, came.untriedMs);
    else await jobs.retryLater(job, came.againMs, came.because);
  };
  const unforeseen = async (job: TakenJob, thrown: unknown): Promise<void> => {
    // Whoever has it now goes on with it, and nothing of this attempt was kept.
    if (thrown instanceof LeaseLost) return;
    failed(thrown);
    const againMs = backoffMs(job.attempts, backoff);
    // Where this fails, too, it comes again when the lease is over.
    await settle(job, { againMs, because: 'an unforeseen failure: see the log' }).catch(() => {});
  };
  const perform = async (job: TakenJob): Promise<void> => {
    try {
      await settle(job, await duty.run(job));
    } catch (thrown) {
      await unforeseen(job, thrown);
    }
  };

  /** Until there may be something to do, or room to do it. */
  const rest = async (ms: number): Promise<void> => {
    if (nudged || stopping.signal.aborted) return;
    const waiting = new AbortController();
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const timer = setTimeout(ms * (0.75 + Math.random() / 2), undefined, { signal: waiting.signal, ref: false });
    await Promise.race([woken, timer]).catch(() => {});
    waiting.abort();
    await timer.catch(() => {});
  };

  const takeDue = async (): Promise<boolean> => {
    const max = atOnceMax - running.size;
    // A few at a time: to ask for each one by itself would cost a unit each.
    if (2 * max < atOnceMax) return false;
    const taken = await jobs.take(kind, { holder, leaseMs, max });
    for (const job of taken) {
      const doing = perform(job).finally(() => {
        running.delete(doing);
        wake();
      });
      running.add(doing);
    }
    // There may be more than were asked for.
    return taken.length === max && 2 * running.size <= atOnceMax;
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      nudged = false;
      try {
        if (await takeDue()) continue;
      } catch (thrown) {
        failed(thrown);
      }
      await rest(everyMs);
    }
  };
  const ended = loop();
  return Object.freeze({
    nudge() {
      nudged = true;
      wake();
    },
    async stop() {
      stopping.abort();
      wake();
      await ended;
      await Promise.all(running);
    },
  });
};
