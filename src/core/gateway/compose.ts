/** Composes the services that a gateway serves: every version, and what executes each operation. */
import {
  type Conventions,
  conventionsOf,
  hashNameOf,
  type OlderVersion,
  type Operation,
  rolesFor,
  type Service,
  type VersionAdapter,
} from '../contract/index.ts';
import { type BoundHandler, type Executor, executorOf, type ReadingTransaction } from '../idempotency/index.ts';
import type { HandlerContext } from './handler-context.ts';

/** `R`: the read transaction of the store. */
export type OperationHandlers<R, O extends Operation = Operation> = ReadonlyMap<O, BoundHandler<R, HandlerContext>>;

/**
 * `olderVersions`: oldest first. Each is the next one of the one before, and the service that of the last. An operation of an older
 * version may have a handler of its own, which gets and returns what that of the newest version does. What it returns besides is for
 * members that the older version has and the next one lacks.
 */
export interface Implementation<R> {
  readonly service: Service;
  readonly handlers: OperationHandlers<R>;
  readonly olderVersions: readonly OlderVersion[];
}

/**
 * What executes an operation of any version: the current operation, its executor, and the way to it and back.
 * @internal
 */
export interface CurrentOperation<R> extends VersionAdapter {
  readonly service: Service;
  readonly operation: Operation;
  readonly executor: Executor<R, HandlerContext>;
  /** Each of them authorizes the operation. */
  readonly roles: readonly string[];
}

/** @internal */
export interface Composition<R> {
  /** Every version of every service; of each service, the newest last. */
  readonly services: readonly Service[];
  readonly conventions: Conventions;
  /** `operation`: of any version. */
  current(operation: Operation): CurrentOperation<R>;
}

/**
 * Throws where two services share an operation object, or the name under which requests are hashed.
 * @internal
 */
export function compose<R extends ReadingTransaction>(implementations: readonly Implementation<R>[]): Composition<R> {
  const all = new Map<Operation, CurrentOperation<R>>();
  const hashNames = new Set<string>();
  const add = (operation: Operation, current: CurrentOperation<R>): void => {
    const known = all.get(operation);
    if (known !== undefined && known.operation !== current.operation)
      throw new TypeError(`${operation.name} belongs to two operations`);
    all.set(operation, current);
  };
  for (const { service, handlers, olderVersions } of implementations) {
    const adapted = olderVersions.flatMap(({ adapters }) => [...adapters].filter(([older, { to }]) => older !== to));
    const ofOlderVersions = new Set(adapted.map(([older]) => older));
    for (const [operation, handler] of handlers) {
      if (ofOlderVersions.has(operation)) continue;
      const hashName = hashNameOf(service, operation);
      if (hashNames.has(hashName)) throw new TypeError(`two operations are hashed as ${hashName}`);
      hashNames.add(hashName);
      add(operation, { service, operation, executor: executorOf(handler), roles: rolesFor(service, operation) });
    }
    // The newest first: each version is converted to the next one, and by the conversions of that one.
    for (const [at, { name, version, next, adapters }] of [...olderVersions.entries()].reverse()) {
      if (next !== (olderVersions[at + 1] ?? service))
        throw new TypeError(`${name} v${version} does not lead to the version behind it`);
      for (const [older, { to, ...adapter }] of adapters) {
        const current = all.get(to);
        if (current === undefined) throw new TypeError(`${older.name} is adapted to an operation without a handler`);
        const own = handlers.get(older);
        if (older !== to)
          add(older, { ...current, ...(own && { executor: executorOf(own) }), ...inSequence(adapter, current) });
      }
    }
  }
  const services = servicesOf(implementations);
  return Object.freeze({
    services,
    conventions: conventionsOf(services),
    current(operation: Operation) {
      const found = all.get(operation);
      if (found === undefined) throw new TypeError(`no service implements ${operation.name}`);
      return found;
    },
  });
}

/** Converts by way of the next version. */
function inSequence(adapter: VersionAdapter, next: VersionAdapter): VersionAdapter {
  const upgrade = chain(adapter.upgrade, next.upgrade);
  const downgrade = chain(next.downgrade, adapter.downgrade);
  return { ...(upgrade && { upgrade }), ...(downgrade && { downgrade }) };
}

type Convert = (value: unknown) => unknown;

function chain(first: Convert | undefined, second: Convert | undefined): Convert | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return (value) => second(first(value));
}

/** Every version of every service; of each service, the newest last. */
export function servicesOf(implementations: readonly Pick<Implementation<never>, 'service' | 'olderVersions'>[]) {
  return implementations.flatMap(({ service, olderVersions }) => [...olderVersions, service]);
}
