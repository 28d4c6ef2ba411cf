/** Runs a task periodically while a process serves. */

export type PeriodicTask = ReturnType<typeof startPeriodicTask>;

/** Starts a run about every `intervalMs` milliseconds, never two at a time. A run that throws is reported, and the next one follows. */
export function startPeriodicTask(task: () => Promise<unknown>, intervalMs: number, failed: (thrown: unknown) => void) {
  let current: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout;
  function schedule(): void {
    timer = setTimeout(() => {
      current = task().catch(failed).finally(schedule);
    }, jittered(intervalMs));
    timer.unref();
  }
  schedule();
  return {
    /** Waits for a run that has started. */
    async stop(): Promise<void> {
      clearTimeout(timer);
      await current;
      clearTimeout(timer);
    },
  };
}

/** Keeps several processes with one store from running the task at the same moment. */
function jittered(ms: number): number {
  return ms * (0.5 + Math.random());
}
