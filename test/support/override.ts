/** Returns an object that behaves as `target` except for the given members. `target` may be a class instance. */
export function override<T extends object>(target: T, members: Partial<T>): T {
  const get = (name: PropertyKey): unknown => {
    if (Object.hasOwn(members, name)) return Reflect.get(members, name);
    const value = Reflect.get(target, name);
    return typeof value === 'function' ? value.bind(target) : value;
  };
  // A frozen target would forbid a proxy to return other members: the proxy stands over an empty object.
  return new Proxy({} as T, {
    get: (_, name) => get(name),
    has: (_, name) => name in target,
    ownKeys: () => [...new Set([...Reflect.ownKeys(target), ...Reflect.ownKeys(members)])],
    getOwnPropertyDescriptor: (_, name) =>
      name in target ? { value: get(name), enumerable: true, configurable: true } : undefined,
  });
}
