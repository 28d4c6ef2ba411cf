/** Serves until the process is told to stop, then drains. */

/** A second signal ends the process at once. */
const signals = ['SIGTERM', 'SIGINT'] as const;

/** What runs until it is stopped. */
export interface Stoppable {
  /** Something that nobody caught. */
  failed(thrown: unknown): void;
  stop(): Promise<void>;
}

/** Resolves when all has been answered and closed. A failure that nobody caught is logged and ends the process with 1. */
export const untilStopped = (running: Stoppable): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      for (const signal of signals) process.off(signal, stop);
      running.stop().then(resolve, reject);
    };
    for (const signal of signals) process.on(signal, stop);
    process.once('uncaughtException', (thrown) => {
      running.failed(thrown);
      process.exitCode = 1;
      stop();
    });
  });
