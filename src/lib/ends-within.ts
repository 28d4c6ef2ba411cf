import { setTimeout } from 'node:timers/promises';

/** Returns whether the work ended in time. Work that ends later is not waited for. */
export async function endsWithin(work: Promise<unknown>, msMax: number): Promise<boolean> {
  const waiting = new AbortController();
  try {
    const ended = work.then(() => true);
    return await Promise.race([ended, setTimeout(msMax, false, { signal: waiting.signal })]);
  } finally {
    waiting.abort();
    // A failure after the time has no consumer left.
    work.catch(() => {});
  }
}
