/** Performance: a canonical request meets its handler; a writing one in a unit of work that is durable when it resolves. */
import type { CanonicalRequest } from '../contract/canonical.ts';
import type { Operation, Output } from '../contract/operation.ts';
import type { Handlers, World } from '../domain/handler.ts';
import type { Store, Unit, View } from '../domain/ports.ts';

export interface Performer {
  /** Alone: reads what is there, or writes in a unit of its own. */
  perform(request: CanonicalRequest): Promise<unknown>;
  /** Writes as a part of a unit that holds more than the effect. */
  performIn(unit: Unit, request: CanonicalRequest): Promise<unknown>;
}

type Reading = (request: CanonicalRequest, view: View, world: World) => Promise<Output<Operation>>;
type Writing = (request: CanonicalRequest, unit: Unit, world: World) => Promise<Output<Operation>>;

export const performer = (handlers: Handlers, store: Store, world: World): Performer => {
  // Each handler was typed against its own operation; the name brings the two together again.
  const byName = new Map(Object.entries(handlers as unknown as Record<string, Reading & Writing>));
  const handlerOf = ({ operation: { name } }: CanonicalRequest): Reading & Writing => {
    const handler = byName.get(name);
    if (handler === undefined) throw new TypeError(`no handler for ${name}`);
    return handler;
  };
  return Object.freeze<Performer>({
    perform: async (request) => {
      const handler = handlerOf(request);
      return request.operation.effect === 'reads'
        ? store.read((view) => handler(request, view, world))
        : store.write((unit) => handler(request, unit, world));
    },
    performIn: async (unit, request) => handlerOf(request)(request, unit, world),
  });
};
