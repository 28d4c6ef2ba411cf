/** Handlers of services: a canonical request in, the canonical output out, or a Problem thrown. They run in transactions of the store. */
import type { CanonicalRequest, OlderVersion, Operation, Output, Service } from '../core/contract/index.ts';
import type {
  HandlerContext,
  OperationHandlers as HandlersOver,
  Implementation as ImplementationOver,
} from '../core/gateway/index.ts';
import type { BoundHandler as HandlerOver } from '../core/idempotency/index.ts';
import type { ReadStore } from './store.ts';
import type { ReadTransaction, Transaction } from './transaction.ts';

/**
 * A reading operation gets a read transaction, a writing one a transaction that commits with its outcome.
 * `in out`, here and below: the compiler finds no use of `O` in a conditional type such as `Output`, and would accept the
 * handler of a version that returns less.
 */
export type Handler<in out O extends Operation> = (
  request: CanonicalRequest<O>,
  transaction: O['effect'] extends 'reads' ? ReadTransaction : Transaction,
  context: HandlerContext,
) => Promise<Output<O>>;

/** A writing operation that first calls another system, while no transaction is open. */
export interface TwoPhaseHandler<in out O extends Operation, R> {
  /** `id` is the same for a request and its retries, at most 64 characters. What throws here ends the request. */
  readonly lookup: (request: CanonicalRequest<O>, store: ReadStore, context: HandlerContext, id: string) => Promise<R>;
  readonly handle: (
    request: CanonicalRequest<O>,
    transaction: Transaction,
    context: HandlerContext,
    result: R,
  ) => Promise<Output<O>>;
}

/** A handler without the types of its operation; `Implementation` pairs the two. */
export type BoundHandler = HandlerOver<ReadTransaction, HandlerContext>;

/** What an operation may be implemented by: a function, or two where it asks another system first. */
export type HandlerOf<O extends Operation> =
  | Handler<O>
  // biome-ignore lint/suspicious/noExplicitAny: the two phases agree on the type of the result; no other code sees it.
  | (O['effect'] extends 'reads' ? never : TwoPhaseHandler<O, any>);

/** One handler for each operation: a missing, a stray or a wrongly typed one does not compile. */
export type HandlersOf<O extends Operation> = {
  readonly [N in O['name']]: HandlerOf<Extract<O, { readonly name: N }>>;
};

/** The handlers of `H`, if none of them is stray. */
export type CheckedHandlers<O extends Operation, H> = H & Readonly<Record<Exclude<keyof H, O['name']>, never>>;

export type OperationHandlers<O extends Operation = Operation> = HandlersOver<ReadTransaction, O>;

export type Implementation = ImplementationOver<ReadTransaction>;

/** Pairs the newest version of a service with its handlers, and with its older versions. */
export function implement<O extends Operation, H extends HandlersOf<O>>(
  service: Service<O>,
  handlers: CheckedHandlers<O, H>,
  ...olderVersions: readonly OlderVersion[]
): Implementation {
  const operations = [...service.operations.values()];
  return Object.freeze({ service, handlers: bindHandlers<O, H>(operations, handlers), olderVersions });
}

/** Implements the operations that have a handler. Others get theirs before they are served. */
export function implementPartly<O extends Operation>(
  service: Service<O>,
  handlers: Partial<HandlersOf<O>>,
): Implementation {
  const bound = [...service.operations.values()].flatMap((operation): [O, BoundHandler][] => {
    const handler: HandlersOf<O>[O['name']] | undefined = handlers[operation.name as O['name']];
    return handler === undefined ? [] : [[operation, bindHandler(handler)]];
  });
  return Object.freeze({ service, handlers: new Map(bound), olderVersions: [] });
}

/** Pairs each operation with its handler. */
export function bindHandlers<O extends Operation, H extends HandlersOf<O>>(
  operations: readonly O[],
  handlers: CheckedHandlers<O, H>,
): OperationHandlers<O> {
  return new Map(
    operations.map((operation): [O, BoundHandler] => {
      const handler: HandlersOf<O>[O['name']] = handlers[operation.name as O['name']];
      return [operation, bindHandler(handler)];
    }),
  );
}

/** Returns a handler without the types of its operation. */
export function bindHandler<O extends Operation>(handler: HandlerOf<O>): BoundHandler {
  return typeof handler === 'function' ? { kind: 'plain', handle: handler } : { kind: 'twoPhase', ...handler };
}
