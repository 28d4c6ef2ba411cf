/** Wakes the workers of this process when a job was saved, so that it need not wait for the next poll. */
import type { JobKind } from './job.ts';

export function createJobNotifier() {
  const subscribers = new Map<JobKind, () => void>();
  return Object.freeze({
    notify: (kind: JobKind): void => subscribers.get(kind)?.(),
    /** As if a job of every kind was saved: for a clock that was moved. */
    notifyAll: (): void => {
      for (const onSaved of subscribers.values()) onSaved();
    },
    /** A kind has one subscriber at most. */
    subscribe: (kind: JobKind, onSaved: () => void): void => {
      subscribers.set(kind, onSaved);
    },
  });
}
