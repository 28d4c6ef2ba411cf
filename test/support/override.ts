import type { Store } from '../../src/stores/store.ts';
import type { ReadTransaction, Transaction } from '../../src/stores/transaction.ts';

/** Returns an object that behaves as `target` except for the given members. `target` may be a class instance. */
export function override<T extends object>(target: T, members: Partial<T>): T {
  const get = (name: PropertyKey): unknown => {
    if (Object.hasOwn(members, name)) return Reflect.get(members, name);
    const value = Reflect.get(target, name);
    return typeof value === 'function' ? value.bind(target) : value;
  };
  // A proxy may not override members of a frozen target, so its target is an empty object.
  return new Proxy({} as T, {
    get: (_, name) => get(name),
    has: (_, name) => name in target,
    ownKeys: () => [...new Set([...Reflect.ownKeys(target), ...Reflect.ownKeys(members)])],
    getOwnPropertyDescriptor: (_, name) =>
      name in target ? { value: get(name), enumerable: true, configurable: true } : undefined,
  });
}

// biome-ignore lint/suspicious/noExplicitAny: any repository will do.
type Repository = new (tx: any) => object;

/** Returns the transaction with other members in one of its repositories. */
export function overrideRepository<Tx extends ReadTransaction, C extends Repository>(
  tx: Tx,
  repository: C,
  members: (real: InstanceType<C>) => Partial<InstanceType<C>>,
): Tx {
  const find = tx.repository.bind(tx) as (wanted: Repository) => InstanceType<C>;
  return override<ReadTransaction>(tx, {
    repository: ((wanted: Repository) =>
      wanted === repository ? override(find(wanted), members(find(wanted))) : find(wanted)) as never,
  }) as Tx;
}

/** Returns the store with a change to each of its writing transactions. */
export function overrideWrites(store: Store, change: (tx: Transaction) => Transaction): Store {
  return { ...store, write: (work) => store.write((tx) => work(change(tx))) };
}
