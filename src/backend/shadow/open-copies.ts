/** Opens the connections that copies are sent over: they take no place of the requests of callers. */
import type { Operation } from '../../contract/operation.ts';
import type { Service } from '../../contract/service.ts';
import type { Protocols } from '../../formats/index.ts';
import type { RemoteHandler } from '../../idempotency/ports.ts';
import { createUpstream, type Upstream } from '../../upstream/create-upstream.ts';
import type { Side } from '../../upstream/shadow/shadow.ts';
import type { Backend } from '../backend.ts';
import { createUpstreamCredentials } from '../upstreams/credentials.ts';
import type { UpstreamPlan } from '../upstreams/plan.ts';
import type { ConfiguredUpstream } from '../upstreams/read-upstream.ts';

export interface CopyDependencies {
  readonly protocols: Protocols;
  readonly referenceHeader: string;
  readonly backend: Pick<Backend, 'context' | 'upstreamCredentials'>;
}

export interface Copies {
  /** Returns the handler that a copy is sent by. */
  copyTo(upstream: string, side: Side, service: Service, operation: Operation): RemoteHandler<unknown>;
  /** Gives up copies that have no answer soon: a server that never answers must not delay the end of the gateway. */
  close(): Promise<void>;
}

const closeMsMax = 1_000;

export function openCopies(plan: UpstreamPlan, { protocols, referenceHeader, backend }: CopyDependencies): Copies {
  const { clock, vault } = backend.context;
  const sealed = { store: backend.upstreamCredentials, vault, clock };
  const open = (configured: ConfiguredUpstream, concurrency: number): Upstream =>
    createUpstream({
      ...configured,
      credentials: createUpstreamCredentials(configured, sealed, plan.callers),
      connections: concurrency,
      queueMax: concurrency,
      // They are compared.
      unknownMembers: 'keep',
      protocols,
      referenceHeader,
      clock,
      // Metrics count copies without an answer.
      report: () => {},
    });
  const sides = new Map(
    plan.upstreams.flatMap((current): [string, Record<Side, Upstream>][] => {
      const shadow = plan.shadows.get(current.name);
      if (shadow === undefined) return [];
      const { upstream, concurrency } = shadow;
      return [[current.name, { current: open(current, concurrency), shadow: open(upstream, concurrency) }]];
    }),
  );
  return {
    copyTo(name, side, service, operation) {
      const upstream = sides.get(name)?.[side];
      if (upstream === undefined) throw new TypeError(`${name} has no shadow`);
      return upstream.handler(service, operation);
    },
    async close() {
      await Promise.all(
        [...sides.values()].flatMap((pair) => Object.values(pair).map((each) => each.close(closeMsMax))),
      );
    },
  };
}
