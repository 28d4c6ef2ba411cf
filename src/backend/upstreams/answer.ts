/** Lets upstreams answer operations, in the place of handlers of this program. */
import type { Operation } from '../../contract/operation.ts';
import type { Service } from '../../contract/service.ts';
import { unknownOperation } from '../../formats/named-operation.ts';
import type { BoundHandler } from '../../gateway/handler.ts';
import type { Implementation } from '../../gateway/implement.ts';
import type { UpstreamPlan } from './plan.ts';

/** Returns the handler of an operation at an upstream. */
export type CreateRemoteHandler = (upstream: string, service: Service, operation: Operation) => BoundHandler;

/**
 * Returns the implementations with the handlers that the plan gives them. Upstreams speak the newest version: what only older versions
 * have is answered here, and refused where upstreams answer all of a service.
 */
export function answerByUpstreams(
  implementations: readonly Implementation[],
  { upstreamOf, upstreams }: UpstreamPlan,
  createHandler: CreateRemoteHandler,
): readonly Implementation[] {
  if (upstreams.length === 0) return implementations;
  return implementations.map((implementation) => {
    const { service, handlers: own } = implementation;
    const remoteOf = ({ name }: Operation) => upstreamOf(service.name, name);
    const answersAll = [...service.operations.values()].every((operation) => remoteOf(operation) !== undefined);
    const handlers = [...service.operations.values()].flatMap((operation): [Operation, BoundHandler][] => {
      const upstream = remoteOf(operation);
      const handler = upstream === undefined ? own.get(operation) : createHandler(upstream, service, operation);
      return handler === undefined ? [] : [[operation, handler]];
    });
    const older = [...own].flatMap(([operation, handler]): [Operation, BoundHandler][] => {
      if (service.operations.has(operation.name)) {
        const isNewest = service.operations.get(operation.name) === operation;
        return isNewest || remoteOf(operation) !== undefined ? [] : [[operation, handler]];
      }
      return [[operation, answersAll ? refusing(service) : handler]];
    });
    return Object.freeze({ ...implementation, handlers: new Map([...handlers, ...older]) });
  });
}

/** Nothing is sent: the upstream knows no such operation. */
const refusing = (service: Service): BoundHandler => ({
  kind: 'remote',
  upstream: 'none',
  deduplicates: true,
  msMax: 0,
  async forward() {
    throw unknownOperation(service);
  },
});
