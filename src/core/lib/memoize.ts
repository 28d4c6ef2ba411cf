/** Remembers what functions return. */

interface Known<K, V> {
  get(key: K): V | undefined;
  has(key: K): boolean;
  set(key: K, value: V): unknown;
}

/** Returns the function, which is called once for each key. The keys live as long as what is returned. */
export function memoize<K, V>(create: (key: K) => V, known: Known<K, V> = new Map<K, V>()): (key: K) => V {
  return (key) => {
    const found = known.get(key);
    if (found !== undefined || known.has(key)) return found as V;
    const created = create(key);
    known.set(key, created);
    return created;
  };
}

/** The same, for keys that live no longer for it. */
export function memoizeWeakly<K extends WeakKey, V>(create: (key: K) => V): (key: K) => V {
  return memoize(create, new WeakMap<K, V>());
}
