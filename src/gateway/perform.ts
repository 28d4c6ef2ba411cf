/** Performance: a canonical request meets its handler; a writing one in a unit of work that is durable when it resolves. */
import type { CanonicalRequest } from '../contract/canonical.ts';
import { Problem } from '../contract/problem.ts';
import type { Handlers, World } from '../domain/handler.ts';
import { type Store, StoreUnavailable, type Unit, VaultUnavailable, type View } from '../domain/ports.ts';

export type Perform = (request: CanonicalRequest) => Promise<unknown>;

type Reading = (request: CanonicalRequest, view: View, world: World) => Promise<unknown>;
type Writing = (request: CanonicalRequest, unit: Unit, world: World) => Promise<unknown>;

const refusal = (thrown: unknown): unknown =>
  thrown instanceof StoreUnavailable || thrown instanceof VaultUnavailable
    ? new Problem('unavailable', undefined, { cause: thrown, headers: { 'Retry-After': '1' } })
    : thrown;

export const performer = (handlers: Handlers, store: Store, world: World): Perform => {
  // Each handler was typed against its own operation; the name brings the two together again.
  const byName = new Map(Object.entries(handlers as unknown as Record<string, Reading & Writing>));
  return async (request) => {
    const { name, effect } = request.operation;
    const handler = byName.get(name);
    if (handler === undefined) throw new TypeError(`no handler for ${name}`);
    try {
      return await (effect === 'reads'
        ? store.read((view) => handler(request, view, world))
        : store.write((unit) => handler(request, unit, world)));
    } catch (thrown) {
      throw refusal(thrown);
    }
  };
};
