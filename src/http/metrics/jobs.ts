/** The metrics of background jobs. Kinds are declared by the program. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** How an attempt at a job ended. */
export type JobOutcome = 'ended' | 'retried' | 'deferred' | 'abandoned' | 'failed' | 'leaseLost';

export type JobMetrics = ReturnType<typeof createJobMetrics>;

const bucketsSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300, 3_600];

export function createJobMetrics(registers: Registry[]) {
  const attempts = new Counter({
    name: 'triglyph_jobs_total',
    help: 'Attempts at background jobs, by kind and outcome: ended, retried, deferred, abandoned, failed (unexpectedly), leaseLost.',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const running = new Gauge({
    name: 'triglyph_jobs_running',
    help: 'Background jobs that run, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const waits = new Histogram({
    name: 'triglyph_job_wait_seconds',
    help: 'Time from saving a background job to its first attempt, by kind.',
    labelNames: ['kind'],
    buckets: bucketsSeconds,
    registers,
  });
  return {
    /** `waitSeconds`: since the job was saved, for its first attempt. */
    started(kind: string, waitSeconds: number | undefined): void {
      running.inc({ kind });
      if (waitSeconds !== undefined) waits.observe({ kind }, waitSeconds);
    },
    ended(kind: string, outcome: JobOutcome): void {
      running.dec({ kind });
      attempts.inc({ kind, outcome });
    },
  };
}
