/** The worker of jobs: how many it runs at the same time, and jobs that step aside. */
import { afterEach, expect, test } from '@jest/globals';
import type { JobQueue, TakenJob } from '../../src/stores/jobs/job.ts';
import { type JobHandler, startWorker, type Worker } from '../../src/stores/jobs/worker.ts';
import { until } from '../support/until.ts';

const workers: Worker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop(AbortSignal.abort());
});

/** A queue of so many due jobs, and a handler whose jobs run until the worker stops. */
function open(due: number, { stepsAside }: { readonly stepsAside: (jobId: string) => boolean }) {
  const ran: string[] = [];
  const ended: string[] = [];
  const waiting = Array.from({ length: due }, (_, at) => ({ jobId: `${at}`, kind: 'k', attempts: 1 }) as TakenJob);
  const jobs = {
    take: async (_: string, { max }: { readonly max: number }) => waiting.splice(0, max),
    defer: async (job: TakenJob) => {
      ended.push(job.jobId);
    },
  } as Partial<JobQueue> as JobQueue;
  const handler: JobHandler = {
    kind: 'k',
    concurrencyMax: 4,
    leaseMs: 1_000,
    pollIntervalMs: 60_000,
    run(job, cutOff, stepAside) {
      ran.push(job.jobId);
      if (stepsAside(job.jobId)) stepAside?.();
      return new Promise((resolve) => cutOff.addEventListener('abort', () => resolve({ deferMs: 0 })));
    },
  };
  const worker = startWorker({ jobs, leaseOwner: 'here', failed: () => {} }, handler);
  workers.push(worker);
  return { ran, ended, worker };
}

test('jobs that step aside take no place of others, and end with the worker', async () => {
  const { ran, ended, worker } = open(20, { stepsAside: () => true });
  await until('all jobs to run', () => ran.length === 20);
  workers.pop();
  await worker.stop(AbortSignal.abort());
  expect(ended).toHaveLength(20);
});

test('control: jobs that do not are four', async () => {
  const { ran, worker } = open(20, { stepsAside: () => false });
  await until('the first jobs to run', () => ran.length === 4);
  worker.nudge();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(ran).toHaveLength(4);
});
