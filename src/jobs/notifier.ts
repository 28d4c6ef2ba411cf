/** Tells the workers of this process that a job was kept, so that they need not look for it. */
import type { JobKind } from './job.ts';

export interface Bell {
  ring(kind: JobKind): void;
  /** One at most hears of a kind. */
  answer(kind: JobKind, heard: () => void): void;
}

export const createBell = (): Bell => {
  const hearing = new Map<JobKind, () => void>();
  return Object.freeze<Bell>({
    ring: (kind) => hearing.get(kind)?.(),
    answer: (kind, heard) => {
      hearing.set(kind, heard);
    },
  });
};
