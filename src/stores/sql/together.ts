/** Runs work for several callers at once: those that come while one batch runs form the next one. */

interface Waiting<I, R> {
  readonly item: I;
  resolve(result: R): void;
  reject(thrown: unknown): void;
}

/** `run` returns a result for each item, in their order; where it throws, each caller gets the error. */
export function createTogether<I, R>(
  run: (items: readonly I[]) => Promise<readonly R[]>,
  max: number,
): (item: I) => Promise<R> {
  const waiting: Waiting<I, R>[] = [];
  let isRunning = false;

  async function runAll(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, max);
      try {
        const results = await run(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
      } catch (thrown) {
        for (const { reject } of batch) reject(thrown);
      }
    }
    isRunning = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // Those of the same turn of the event loop are in the first batch.
      if (!isRunning) {
        isRunning = true;
        setImmediate(() => void runAll());
      }
    });
}
