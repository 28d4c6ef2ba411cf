/** Shares work that several callers ask for at the same time. */

/** Returns a function that runs one work for each key at a time: callers meanwhile get its promise. */
export function shareRunning<K, T>(): (key: K, work: () => Promise<T>) => Promise<T> {
  const running = new Map<K, Promise<T>>();
  return (key, work) => {
    const found = running.get(key) ?? work().finally(() => running.delete(key));
    running.set(key, found);
    return found;
  };
}
