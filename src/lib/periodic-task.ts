/** Housekeeping: what a serving process does now and then beside its requests. */

/** Jitter keeps several processes over one store from doing it at the same moment. */
const jittered = (ms: number): number => ms * (0.5 + Math.random());

export interface PeriodicTask {
  /** Waits for what was begun. */
  stop(): Promise<void>;
}

/** Does the chore about every so many milliseconds; what it throws is told, and it is tried again the next time. */
export const startPeriodicTask = (
  chore: () => Promise<unknown>,
  everyMs: number,
  failed: (thrown: unknown) => void,
): PeriodicTask => {
  let doing: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const plan = (): void => {
    timer = setTimeout(() => {
      doing = chore().catch(failed).finally(plan);
    }, jittered(everyMs));
    timer.unref();
  };
  plan();
  return {
    async stop() {
      clearTimeout(timer);
      await doing;
      clearTimeout(timer);
    },
  };
};
