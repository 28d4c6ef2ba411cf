/** Waits for work that may take too long. */

/** Resolves with the result, or with undefined after `ms`. The work goes on. */
export async function atMost<T>(ms: number, done: Promise<T>): Promise<T | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(timeout.resolve, ms, undefined);
  try {
    return await Promise.race([done, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns whether the work ended in time. */
export async function endsWithin(work: Promise<unknown>, msMax: number): Promise<boolean> {
  return (
    (await atMost(
      msMax,
      work.then(() => true),
    )) ?? false
  );
}
