/** Limits how often work runs that many callers ask for. */

/** Callers within `intervalMs` of a start, or while the work runs, share its result. */
export function runAtMostEvery<T>(
  intervalMs: number,
  work: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let latest: { readonly startedAt: number; readonly result: Promise<T> } | undefined;
  let isRunning = false;
  return () => {
    const startedAt = now();
    if (latest !== undefined && (isRunning || startedAt - latest.startedAt < intervalMs)) return latest.result;
    isRunning = true;
    const result = work().finally(() => {
      isRunning = false;
    });
    latest = { startedAt, result };
    return result;
  };
}
