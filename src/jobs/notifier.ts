/** Wakes the workers of this process when a job was saved, so that it need not wait for the next poll. */
import type { JobKind } from './job.ts';

export interface JobNotifier {
  notify(kind: JobKind): void;
  /** As if a job of every kind was saved: for a clock that was moved. */
  notifyAll(): void;
  /** A kind has one subscriber at most. */
  subscribe(kind: JobKind, onSaved: () => void): void;
}

export function createJobNotifier(): JobNotifier {
  const subscribers = new Map<JobKind, () => void>();
  return Object.freeze<JobNotifier>({
    notify: (kind) => subscribers.get(kind)?.(),
    notifyAll: () => {
      for (const onSaved of subscribers.values()) onSaved();
    },
    subscribe: (kind, onSaved) => {
      subscribers.set(kind, onSaved);
    },
  });
}
