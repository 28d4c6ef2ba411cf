/** Performance: a canonical request meets its handler; a writing one in a unit of work that is durable when it resolves. */
import type { CanonicalRequest } from '../contract/canonical.ts';
import type { Operation, Output } from '../contract/operation.ts';
import type { ReadTransaction, Store, Transaction } from '../store/transaction.ts';
import type { HandlerContext, Handlers, TwoPhaseHandler } from './handler.ts';

export interface HandlerInvoker {
  /** Alone: reads what is there, or writes in a unit of its own. */
  invoke(request: CanonicalRequest): Promise<unknown>;
  /** Writes as a part of a unit that holds more than the effect. `heard`: what an inquiry gave. */
  invokeIn(unit: Transaction, request: CanonicalRequest, heard: unknown): Promise<unknown>;
  /** Whether somebody outside has to be asked before the unit. */
  needsLookup(request: CanonicalRequest): boolean;
  /** Asks; `id` is the same for a request and its retries. */
  lookup(request: CanonicalRequest, id: string): Promise<unknown>;
}

type Reading = (request: CanonicalRequest, view: ReadTransaction, world: HandlerContext) => Promise<Output<Operation>>;
type Writing = (request: CanonicalRequest, unit: Transaction, world: HandlerContext) => Promise<Output<Operation>>;
type AnyHandler = (Reading & Writing) | TwoPhaseHandler<Operation>;

export const createHandlerInvoker = (handlers: Handlers, store: Store, world: HandlerContext): HandlerInvoker => {
  // Each handler was typed against its own operation; the name brings the two together again.
  const byName = new Map(Object.entries(handlers as unknown as Record<string, AnyHandler>));
  const handlerOf = ({ operation: { name } }: CanonicalRequest): AnyHandler => {
    const handler = byName.get(name);
    if (handler === undefined) throw new TypeError(`no handler for ${name}`);
    return handler;
  };
  const inquirerOf = (request: CanonicalRequest): TwoPhaseHandler<Operation> | undefined => {
    const handler = handlerOf(request);
    return 'lookup' in handler && handler.needsLookup(world) ? handler : undefined;
  };
  const inquire = async (request: CanonicalRequest, id: string): Promise<unknown> =>
    inquirerOf(request)?.lookup(request, store, world, id);
  const performIn = async (unit: Transaction, request: CanonicalRequest, heard: unknown): Promise<unknown> => {
    const handler = handlerOf(request);
    return 'lookup' in handler ? handler.handle(request, unit, world, heard) : handler(request, unit, world);
  };
  return Object.freeze<HandlerInvoker>({
    invoke: async (request) => {
      const handler = handlerOf(request);
      if (request.operation.effect === 'reads' && !('lookup' in handler))
        return store.read((view) => handler(request, view, world));
      const heard = await inquire(request, request.pspReference);
      return store.write((unit) => performIn(unit, request, heard));
    },
    invokeIn: performIn,
    needsLookup: (request) => inquirerOf(request) !== undefined,
    lookup: inquire,
  });
};
