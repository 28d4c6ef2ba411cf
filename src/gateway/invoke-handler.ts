/** Performance: a canonical request meets its handler; a writing one in a unit of work that is durable when it resolves. */
import type { CanonicalRequest } from '../contract/canonical.ts';
import type { Operation, Output } from '../contract/operation.ts';
import type { Store, Unit, View } from '../store/transaction.ts';
import type { Handlers, InquiringHandler, World } from './handler.ts';

export interface Performer {
  /** Alone: reads what is there, or writes in a unit of its own. */
  perform(request: CanonicalRequest): Promise<unknown>;
  /** Writes as a part of a unit that holds more than the effect. `heard`: what an inquiry gave. */
  performIn(unit: Unit, request: CanonicalRequest, heard: unknown): Promise<unknown>;
  /** Whether somebody outside has to be asked before the unit. */
  inquires(request: CanonicalRequest): boolean;
  /** Asks; `id` is the same for a request and its retries. */
  inquire(request: CanonicalRequest, id: string): Promise<unknown>;
}

type Reading = (request: CanonicalRequest, view: View, world: World) => Promise<Output<Operation>>;
type Writing = (request: CanonicalRequest, unit: Unit, world: World) => Promise<Output<Operation>>;
type AnyHandler = (Reading & Writing) | InquiringHandler<Operation>;

export const performer = (handlers: Handlers, store: Store, world: World): Performer => {
  // Each handler was typed against its own operation; the name brings the two together again.
  const byName = new Map(Object.entries(handlers as unknown as Record<string, AnyHandler>));
  const handlerOf = ({ operation: { name } }: CanonicalRequest): AnyHandler => {
    const handler = byName.get(name);
    if (handler === undefined) throw new TypeError(`no handler for ${name}`);
    return handler;
  };
  const inquirerOf = (request: CanonicalRequest): InquiringHandler<Operation> | undefined => {
    const handler = handlerOf(request);
    return 'inquire' in handler && handler.inquires(world) ? handler : undefined;
  };
  const inquire = async (request: CanonicalRequest, id: string): Promise<unknown> =>
    inquirerOf(request)?.inquire(request, store, world, id);
  const performIn = async (unit: Unit, request: CanonicalRequest, heard: unknown): Promise<unknown> => {
    const handler = handlerOf(request);
    return 'inquire' in handler ? handler.handle(request, unit, world, heard) : handler(request, unit, world);
  };
  return Object.freeze<Performer>({
    perform: async (request) => {
      const handler = handlerOf(request);
      if (request.operation.effect === 'reads' && !('inquire' in handler))
        return store.read((view) => handler(request, view, world));
      const heard = await inquire(request, request.pspReference);
      return store.write((unit) => performIn(unit, request, heard));
    },
    performIn,
    inquires: (request) => inquirerOf(request) !== undefined,
    inquire,
  });
};
