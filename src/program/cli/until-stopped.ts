/** Runs a server until the process receives a signal, then drains it. */
import { serveWithoutOutput } from './output.ts';

interface Stoppable {
  /** Logs an uncaught exception. */
  failed(thrown: unknown): void;
  stop(): Promise<void>;
}

/**
 * Resolves when the server has stopped: after `stopRequest`, or after an uncaught exception, which is logged and sets the
 * exit code 1.
 */
export function untilStopped(
  running: Stoppable,
  stopRequest: Promise<void> = firstSignal(['SIGTERM', 'SIGINT', 'SIGHUP']),
): Promise<void> {
  serveWithoutOutput();
  return new Promise((resolve, reject) => {
    let stopping = false;
    const stop = (): void => {
      if (stopping) return;
      stopping = true;
      running.stop().then(resolve, reject).finally(endSoon);
    };
    void stopRequest.then(stop);
    process.once('uncaughtException', (thrown) => {
      running.failed(thrown);
      process.exitCode = 1;
      stop();
    });
  });
}

/** What still runs in a stopped process ends with it, after this time. */
const lingerMs = 100;

function endSoon(): void {
  setTimeout(() => process.exit(), lingerMs).unref();
}

/** Signals within this time count as one: npm passes on what a terminal has sent to its whole group. */
const sameSignalMs = 1_000;

/** Resolves at the first signal. A later one ends the process at once. `over`: no signal is waited for any more. */
export function firstSignal(signals: readonly NodeJS.Signals[], over?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const forget = (): void => {
      for (const signal of signals) process.off(signal, onSignal);
    };
    let isFirst = true;
    const onSignal = (): void => {
      if (isFirst) setTimeout(forget, sameSignalMs).unref();
      isFirst = false;
      resolve();
    };
    for (const signal of signals) process.on(signal, onSignal);
    over?.addEventListener('abort', forget);
  });
}
