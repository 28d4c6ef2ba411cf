/** Lets upstreams answer operations, in the place of handlers of this program. */
import type { Operation } from '../../contract/operation.ts';
import type { Service } from '../../contract/service.ts';
import type { BoundHandler } from '../../gateway/handler.ts';
import type { Implementation } from '../../gateway/implement.ts';
import type { UpstreamPlan } from './plan.ts';

/** Returns the handler of an operation at an upstream. */
export type CreateRemoteHandler = (upstream: string, service: Service, operation: Operation) => BoundHandler;

/** Returns the implementations with the handlers that the plan gives them. */
export function answerByUpstreams(
  implementations: readonly Implementation[],
  { upstreamOf, upstreams }: UpstreamPlan,
  createHandler: CreateRemoteHandler,
): readonly Implementation[] {
  if (upstreams.length === 0) return implementations;
  return implementations.map((implementation) => {
    const { service, handlers: own } = implementation;
    const handlers = [...service.operations.values()].flatMap((operation): [Operation, BoundHandler][] => {
      const upstream = upstreamOf(service.name, operation.name);
      const handler = upstream === undefined ? own.get(operation) : createHandler(upstream, service, operation);
      return handler === undefined ? [] : [[operation, handler]];
    });
    return Object.freeze({ ...implementation, handlers: new Map(handlers) });
  });
}
