/** Calls the handler of a request with its transaction. */
import type { CanonicalRequest } from '../contract/canonical.ts';
import type { HandlerInvoker } from '../idempotency/ports.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import type { HandlerContext } from './handler.ts';
import type { BoundHandler, Composition } from './implement.ts';

export function createHandlerInvoker(
  { current }: Pick<Composition, 'current'>,
  store: Pick<Store, 'read'>,
  context: HandlerContext,
): HandlerInvoker<Transaction> {
  const handlerOf = ({ operation }: CanonicalRequest): BoundHandler => current(operation).handler;

  return Object.freeze<HandlerInvoker<Transaction>>({
    read: async (request) => await store.read((tx) => handlerOf(request).handle(request, tx, context)),
    write: async (request, tx, lookupResult) => await handlerOf(request).handle(request, tx, context, lookupResult),
    needsLookup: (request) => handlerOf(request).lookup !== undefined,
    lookup: async (request, id) => await handlerOf(request).lookup?.(request, store, context, id),
  });
}
