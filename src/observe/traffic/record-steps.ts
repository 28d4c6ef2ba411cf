/** Records the steps of the request that is handled, where its details are recorded, by the hooks of tracing. */
import { Problem } from '../../contract/problem.ts';
import type { Protocol } from '../../formats/protocol.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { ObservedRequest, ObservedStep } from './observed-request.ts';
import type { TrafficRecorder } from './recorder.ts';

/** Where nothing is recorded, each hook costs the call of a function. */
export function recordSteps(recorder: TrafficRecorder): Pick<Tracing, 'decode' | 'execute' | 'store' | 'upstream'> {
  const current = () => (recorder.isActive ? recorder.current.getStore() : undefined);

  return Object.freeze({
    decode(protocols) {
      const recorded = Object.entries<Protocol>(protocols).map(([name, protocol]): [string, Protocol] => [
        name,
        Object.freeze<Protocol>({
          ...protocol,
          decode(body, media, target, head) {
            const observed = current();
            if (observed === undefined) return protocol.decode(body, media, target, head);
            const startedAt = performance.now();
            let isFailed = true;
            try {
              const decoded = protocol.decode(body, media, target, head);
              observed.format = name;
              isFailed = false;
              return decoded;
            } finally {
              observed.addStep('decode', startedAt, isFailed);
            }
          },
        }),
      ]);
      return Object.freeze(Object.fromEntries(recorded)) as typeof protocols;
    },

    execute: (execute) => (request, handler) => {
      const observed = current();
      if (observed === undefined) return execute(request, handler);
      return timed(observed, 'execute', () => execute(request, handler));
    },

    store: (store) =>
      Object.freeze<typeof store>({
        read(work) {
          const observed = current();
          return observed === undefined ? store.read(work) : timed(observed, 'read', () => store.read(work));
        },
        write(work, options) {
          const observed = current();
          if (observed === undefined) return store.write(work, options);
          return timed(observed, 'transaction', () => store.write(work, options));
        },
      }),

    upstream: (handler) =>
      Object.freeze<typeof handler>({
        ...handler,
        async forward(request, context, key) {
          const observed = current();
          if (observed === undefined) return handler.forward(request, context, key);
          const startedAt = performance.now();
          const call = { upstream: handler.upstream, operation: request.operation.name, hasKey: key !== undefined };
          try {
            const answer = await handler.forward(request, context, key);
            observed.addStep('upstream', startedAt, false);
            observed.addUpstreamCall({ ...call, outcome: 'ok', reference: answer.requestReference }, startedAt);
            return answer;
          } catch (thrown) {
            observed.addStep('upstream', startedAt, true);
            observed.addUpstreamCall({ ...call, outcome: nameOf(thrown) }, startedAt);
            throw thrown;
          }
        },
      }),
  });
}

async function timed<T>(observed: ObservedRequest, name: ObservedStep['name'], work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  let isFailed = true;
  try {
    const result = await work();
    isFailed = false;
    return result;
  } finally {
    observed.addStep(name, startedAt, isFailed);
  }
}

/** Messages of errors may contain text of callers. */
function nameOf(thrown: unknown): string {
  if (thrown instanceof Problem) return thrown.problem;
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
