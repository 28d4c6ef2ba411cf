/** Serves until the process is told to stop, then drains. */

const signals = ['SIGTERM', 'SIGINT'] as const;

/** What runs until it is stopped. */
export interface Stoppable {
  /** Something that nobody caught. */
  failed(thrown: unknown): void;
  stop(): Promise<void>;
}

/** Resolves at the first signal; a second one ends the process at once. */
const firstSignal = (): Promise<void> =>
  new Promise((resolve) => {
    const told = (): void => {
      for (const signal of signals) process.off(signal, told);
      resolve();
    };
    for (const signal of signals) process.on(signal, told);
  });

/**
 * Resolves when all has been answered and closed. A failure that nobody caught is logged and ends the process with 1.
 * `told` resolves when it is time to stop: at a signal, where nothing else is given.
 */
export const untilStopped = (running: Stoppable, told: Promise<void> = firstSignal()): Promise<void> =>
  new Promise((resolve, reject) => {
    let stopping = false;
    const stop = (): void => {
      if (stopping) return;
      stopping = true;
      running.stop().then(resolve, reject);
    };
    void told.then(stop);
    process.once('uncaughtException', (thrown) => {
      running.failed(thrown);
      process.exitCode = 1;
      stop();
    });
  });
