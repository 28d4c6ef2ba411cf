/** Limits how often work runs that many callers ask for. */

interface Run<T> {
  readonly startedAt: number;
  readonly result: Promise<T>;
}

/**
 * Starts the work when a caller asks and the last start was `intervalMs` ago. Callers get the last result meanwhile, so that
 * slow work delays none of them. A result that is two intervals old is not used: its callers wait for the next one.
 */
export function runAtMostEvery<T>(
  intervalMs: number,
  work: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let ended: Run<T> | undefined;
  let running: Run<T> | undefined;

  function start(startedAt: number): void {
    const run = { startedAt, result: work() };
    const settle = (): void => {
      ended = run;
      running = undefined;
    };
    run.result.then(settle, settle);
    running = run;
  }

  return () => {
    const at = now();
    if (running === undefined && (ended === undefined || at - ended.startedAt >= intervalMs)) start(at);
    const isFresh = ended !== undefined && at - ended.startedAt < 2 * intervalMs;
    return (isFresh ? ended : (running ?? ended))!.result;
  };
}
