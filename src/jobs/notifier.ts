/** Tells the workers of this process that a job was kept, so that they need not look for it. */
import type { JobKind } from './job.ts';

export interface JobNotifier {
  notify(kind: JobKind): void;
  /** One at most hears of a kind. */
  subscribe(kind: JobKind, heard: () => void): void;
}

export const createJobNotifier = (): JobNotifier => {
  const hearing = new Map<JobKind, () => void>();
  return Object.freeze<JobNotifier>({
    notify: (kind) => hearing.get(kind)?.(),
    subscribe: (kind, heard) => {
      hearing.set(kind, heard);
    },
  });
};
