/** Work in steps, between which other work of the process runs. */
import { setImmediate } from 'node:timers/promises';

/** Returns to its caller after each step, and ends with the result. */
export type Steps<T> = Generator<void, T>;

/** Runs all steps at once. */
export function runToEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs steps for `sliceMs` milliseconds, and then lets other work of the process run, until the last one has ended. */
export async function runInSlices<T>(steps: Steps<T>, sliceMs = 5): Promise<T> {
  for (;;) {
    const end = performance.now() + sliceMs;
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() < end);
    await setImmediate();
  }
}
