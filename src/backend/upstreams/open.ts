/** Opens the upstreams of a plan: their handlers, their state for probes and metrics, and their events for the log. */
import type { Operation, Service } from '../../core/contract/index.ts';
import { type Protocols, unknownOperation } from '../../core/formats/index.ts';
import type { HandlerContext, StepHooks } from '../../core/gateway/index.ts';
import { marginMs, type OutcomeLookup, type RemoteHandler } from '../../core/idempotency/index.ts';
import { createOutcomeLookup, createUpstream, type Upstream } from '../../forward/index.ts';
import type { Log, UpstreamMetrics } from '../../http/index.ts';
import type { BoundHandler, Implementation } from '../../stores/index.ts';
import type { Backend } from '../backend.ts';
import type { UpstreamReport } from '../process-report.ts';
import type { LiveShadows } from '../shadow/live.ts';
import { createUpstreamCredentials } from './credentials.ts';
import { countCalls, createEventListener } from './observe.ts';
import { serversOf, type UpstreamPlan } from './plan.ts';
import { shadowName } from './read-shadow.ts';

export type OpenUpstreams = ReturnType<typeof openUpstreams>;

/** A write whose outcome can be looked up. */
export interface OpenLookup {
  readonly upstream: string;
  readonly service: Service;
  readonly operation: Operation;
  /** How long a process may wait for the answer to a write, from its reservation. */
  readonly inFlightMs: number;
  readonly lookup: OutcomeLookup<HandlerContext>;
}

interface UpstreamDependencies {
  readonly implementations: readonly Implementation[];
  readonly protocols: Protocols;
  /** The response header with the reference of a request. */
  readonly referenceHeader: string;
  readonly backend: Backend;
  readonly log: Log;
  readonly metrics: UpstreamMetrics;
  /** Observes the requests to upstreams. */
  readonly observe: StepHooks['upstream'];
  /** The second servers of the plan. */
  readonly shadows: Pick<LiveShadows, 'find'>;
  /** From which length bytes go to a file; absent where they stay in memory. */
  readonly valueBytesMin?: number | undefined;
}

export function openUpstreams(plan: UpstreamPlan, dependencies: UpstreamDependencies) {
  const { protocols, referenceHeader, log, metrics, backend, observe, valueBytesMin } = dependencies;
  const { clock, vault } = backend.context;
  const sealed = { store: backend.upstreamCredentials, vault, clock };
  const report = createEventListener(log, metrics);
  const servers = serversOf(plan);
  const opened = new Map(
    servers.map((configured): [string, Upstream] => {
      const credentials = createUpstreamCredentials(configured, sealed, plan.callers);
      return [
        configured.name,
        createUpstream({ ...configured, credentials, protocols, referenceHeader, clock, report, valueBytesMin }),
      ];
    }),
  );
  const keyMsOf = new Map(servers.map(({ name, keyMsMax }) => [name, keyMsMax]));
  const handlerOf = (name: string, service: Service, operation: Operation): RemoteHandler<HandlerContext> =>
    observe(countCalls(opened.get(name)!.handler(service, operation), keyMsOf.get(name)!, metrics));
  const lookups = new Map(
    plan.upstreams.flatMap(({ name: upstream, lookups: planned, lookupHeader, credentials }) =>
      planned.map((lookupPlan): [string, OpenLookup] => {
        const { service, operation, lookupService, lookupOperation } = lookupPlan;
        const handler = handlerOf(upstream, lookupService, lookupOperation);
        const lookup = createOutcomeLookup<HandlerContext>({
          ...{ service, operation, plan: lookupPlan, protocols, handler },
          sendsKey: lookupHeader !== undefined,
          needsCaller: credentials.kind === 'forward',
        });
        return [
          `${service.name}.${operation.name}`,
          { upstream, service, operation, inFlightMs: handler.msMax + marginMs, lookup },
        ];
      }),
    ),
  );
  const all = [...opened];
  if (all.length > 0)
    metrics.observe(() =>
      all.map(([name, { isDown, waiting, active }]) => ({ name, isDown, queued: waiting, running: active })),
    );
  return Object.freeze({
    /** Those that answer requests, with the handlers of the plan. */
    implementations: answerByUpstreams(dependencies.implementations, plan, (name, service, operation) => {
      const lookup = lookups.get(`${service.name}.${operation.name}`)?.lookup;
      const own = { ...handlerOf(name, service, operation), lookup };
      const shadow = dependencies.shadows.find(name);
      return shadow?.handler(operation, own, handlerOf(shadowName(name), service, operation)) ?? own;
    }),
    /** By the full names of the writes: `Orders.placeOrder`. */
    lookups: lookups as ReadonlyMap<string, OpenLookup>,
    /** Tell whether each upstream is called, or requests to it are refused without a try. */
    probes: all.map(([name, upstream]) => ({
      name: upstreamProbeName(name),
      // Requests that this program answers, and those for other upstreams, need not wait for this one.
      isPartial:
        !plan.answersEverything || plan.upstreams.length > 1 || !plan.upstreams.some((each) => each.name === name),
      check() {
        if (upstream.isRefusing) throw new CircuitOpen();
      },
    })),
    /** The state of each for the console. */
    states: (): readonly UpstreamReport[] =>
      all.map(([name, { isDown, isRefusing, active, waiting }]) => ({
        name,
        breaker: isRefusing ? 'open' : isDown ? 'probing' : 'closed',
        active,
        waiting,
      })),
    /** Lets requests end. */
    async close(): Promise<void> {
      await Promise.all(all.map(([, upstream]) => upstream.close()));
    },
  });
}

/** The name of its probe in /readyz. */
function upstreamProbeName(upstream: string): string {
  return `upstream ${upstream}`;
}

/** Probes show the name of this error. */
class CircuitOpen extends Error {
  override readonly name = 'CircuitOpen';
}

/** Returns the handler of an operation at an upstream. */
type CreateRemoteHandler = (upstream: string, service: Service, operation: Operation) => BoundHandler;

/**
 * Returns the implementations with the handlers that the plan gives them. Upstreams speak the newest version: what only older versions
 * have is answered here, and refused where upstreams answer all of a service.
 */
function answerByUpstreams(
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
    throw unknownOperation(service, 'operation', 'the server behind the gateway does not have it');
  },
});
