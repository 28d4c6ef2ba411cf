/** Opens the upstreams of a plan: their handlers, their state for probes and metrics, and their events for the log. */
import type { Protocols } from '../../formats/index.ts';
import type { Implementation } from '../../gateway/implement.ts';
import type { StepHooks } from '../../gateway/observe-steps.ts';
import type { Log } from '../../http/log.ts';
import type { UpstreamMetrics } from '../../http/metrics/upstreams.ts';
import { createUpstream, type Upstream } from '../../upstream/create-upstream.ts';
import type { Backend } from '../backend.ts';
import type { UpstreamReport } from '../process-report.ts';
import { answerByUpstreams } from './answer.ts';
import { createUpstreamCredentials } from './credentials.ts';
import { countCalls, createEventListener } from './observe.ts';
import type { UpstreamPlan } from './plan.ts';
import { CircuitOpen, upstreamProbeName } from './probe.ts';

export type OpenUpstreams = ReturnType<typeof openUpstreams>;

export interface UpstreamDependencies {
  readonly implementations: readonly Implementation[];
  readonly protocols: Protocols;
  /** The response header with the reference of a request. */
  readonly referenceHeader: string;
  readonly backend: Backend;
  readonly log: Log;
  readonly metrics: UpstreamMetrics;
  /** Observes the requests to upstreams. */
  readonly observe: StepHooks['upstream'];
}

export function openUpstreams(plan: UpstreamPlan, dependencies: UpstreamDependencies) {
  const { protocols, referenceHeader, log, metrics, backend, observe } = dependencies;
  const { clock, vault } = backend.context;
  const report = createEventListener(log, metrics);
  const opened = new Map(
    plan.upstreams.map((configured): [string, Upstream] => {
      const credentials = createUpstreamCredentials(configured, { store: backend.upstreamCredentials, vault, clock });
      return [
        configured.name,
        createUpstream({ ...configured, credentials, protocols, referenceHeader, clock, report }),
      ];
    }),
  );
  const keyMsOf = new Map(plan.upstreams.map(({ name, keyMsMax }) => [name, keyMsMax]));
  const all = [...opened];
  if (all.length > 0)
    metrics.observe(() =>
      all.map(([name, { isDown, waiting, active }]) => ({ name, isDown, queued: waiting, running: active })),
    );
  return Object.freeze({
    /** Those that answer requests, with the handlers of the plan. */
    implementations: answerByUpstreams(dependencies.implementations, plan, (name, service, operation) =>
      observe(countCalls(opened.get(name)!.handler(service, operation), keyMsOf.get(name)!, metrics)),
    ),
    /** Tell whether each upstream is called, or requests to it are refused without a try. */
    probes: all.map(([name, upstream]) => ({
      name: upstreamProbeName(name),
      // Requests that this program answers, and those for other upstreams, need not wait for this one.
      isPartial: !plan.answersEverything || all.length > 1,
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
