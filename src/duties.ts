/** What a serving process does from the jobs of its store, beside its requests. */
import { randomUUID } from 'node:crypto';
import { startWorker } from './jobs/worker.ts';
import type { Strongroom } from './strongroom.ts';
import { checkDuty } from './updater/check-duty.ts';

export interface Duties {
  /** Takes no more, and waits for what was taken. */
  stop(): Promise<void>;
}

/** `failed` is told what nobody foresaw; the job comes again. */
export const beginDuties = ({ jobs, bell, details, world }: Strongroom, failed: (thrown: unknown) => void): Duties => {
  const holder = randomUUID();
  const duties = [checkDuty(details, world)].filter((duty) => duty !== undefined);
  const workers = duties.map((duty) => {
    const worker = startWorker({ jobs, holder, failed }, duty);
    bell.answer(duty.kind, worker.nudge);
    return worker;
  });
  return Object.freeze({
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  });
};
