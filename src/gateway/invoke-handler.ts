/** Invokes the handler of a request; a writing one in a transaction that is durable when the promise resolves. */
import type { CanonicalRequest } from '../contract/canonical.ts';
import type { Store, Transaction } from '../store/transaction.ts';
import type { HandlerContext } from './handler.ts';
import type { BoundHandler, Composition } from './implement.ts';

export interface HandlerInvoker {
  /** Reads, or writes in a transaction of its own. */
  invoke(request: CanonicalRequest): Promise<unknown>;
  /** Writes within a transaction that holds more than the effect. `result`: what the lookup returned. */
  invokeIn(transaction: Transaction, request: CanonicalRequest, result: unknown): Promise<unknown>;
  /** Whether the handler calls another system before its transaction. */
  needsLookup(request: CanonicalRequest): boolean;
  /** `id` is the same for a request and its retries. */
  lookup(request: CanonicalRequest, id: string): Promise<unknown>;
}

export function createHandlerInvoker(
  { current }: Pick<Composition, 'current'>,
  store: Store,
  context: HandlerContext,
): HandlerInvoker {
  const handlerOf = ({ operation }: CanonicalRequest): BoundHandler => current(operation).handler;
  const lookup = async (request: CanonicalRequest, id: string): Promise<unknown> =>
    handlerOf(request).lookup?.(request, store, context, id);
  return Object.freeze<HandlerInvoker>({
    invoke: async (request) => {
      const handler = handlerOf(request);
      if (request.operation.effect === 'reads')
        return store.read((transaction) => handler.handle(request, transaction, context));
      const result = await lookup(request, request.pspReference);
      return store.write((transaction) => handler.handle(request, transaction, context, result));
    },
    invokeIn: async (transaction, request, result) => handlerOf(request).handle(request, transaction, context, result),
    needsLookup: (request) => handlerOf(request).lookup !== undefined,
    lookup,
  });
}
