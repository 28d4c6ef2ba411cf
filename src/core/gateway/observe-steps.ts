/** Tells observers of the steps of requests. Chosen at composition: where no observer listens to steps, nothing is wrapped. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Buffer } from 'node:buffer';
import type { Protocol, Protocols } from '../formats/index.ts';
import type { ExecuteIdempotently, ReadingTransaction, RemoteHandler } from '../idempotency/index.ts';
import type { HandlerContext } from './handler-context.ts';
import { type EndStep, type RequestObserver, Step, type StepFacts, type StepResult } from './request-observer.ts';

type Remote = RemoteHandler<HandlerContext>;

/** Runs work as a step of the request that is handled, or without a step outside of observed requests. */
export type WithinStep = <T>(
  facts: () => StepFacts,
  work: (step: Step | undefined) => Promise<T>,
  resultOf?: (result: T) => Partial<StepResult>,
) => Promise<T>;

/** Each function returns its argument, with its steps observed. */
export interface StepHooks {
  decode(protocols: Protocols): Protocols;
  execute<R extends ReadingTransaction>(
    execute: ExecuteIdempotently<R, HandlerContext>,
  ): ExecuteIdempotently<R, HandlerContext>;
  upstream(handler: Remote): Remote;
  /** For what else runs in steps; absent where no observer listens to them. */
  readonly within?: WithinStep;
}

/** The step that runs now, of a request whose steps are observed. */
const running = new AsyncLocalStorage<Step | undefined>();

/** Returns the step that runs now; undefined outside of requests, and where steps are not observed. */
export function runningStep(): Step | undefined {
  return running.getStore();
}

/** Runs work in the step: another request may run it, as in a common transaction. */
export function runInStep<T>(step: Step, work: () => T): T {
  return running.run(step, work);
}

/** Runs work that belongs to no request, though a request may have started it. */
export function runOutsideSteps<T>(work: () => T): T {
  return running.run(undefined, work);
}

/** Runs the handling of a request as the first step. Returns undefined where no observer listens to steps. */
export function observeRequests(
  observers: readonly RequestObserver[],
): ((step: Step, work: () => Promise<void>) => Promise<void>) | undefined {
  const listeners = listenersOf(observers);
  if (listeners.length === 0) return undefined;
  return async (step, work) => {
    const end = begin(listeners, step);
    if (end === undefined) return await work();
    return await settle(end, running.run(step, work));
  };
}

/** Wraps what the steps of requests run in. */
export function observeSteps(observers: readonly RequestObserver[]): StepHooks {
  const listeners = listenersOf(observers);
  if (listeners.length === 0) return { decode: (same) => same, execute: (same) => same, upstream: (same) => same };

  const within: WithinStep = (facts, work, resultOf) => {
    const parent = running.getStore();
    if (parent === undefined) return work(undefined);
    const step = new Step(facts(), parent.request, parent);
    const end = begin(listeners, step);
    const result = running.run(step, work, step);
    return end === undefined ? result : settle(end, result, resultOf);
  };

  return {
    within,

    decode: (protocols) => {
      const observed = Object.entries<Protocol>(protocols).map(([name, protocol]): [string, Protocol] => [
        name,
        Object.freeze<Protocol>({
          ...protocol,
          decode(body: Buffer, media, target, head, header) {
            const parent = running.getStore();
            if (parent === undefined) return protocol.decode(body, media, target, head, header);
            const end = begin(listeners, new Step({ name: 'decode', format: name }, parent.request, parent));
            try {
              const decoded = protocol.decode(body, media, target, head, header);
              end?.({ isFailed: false });
              return decoded;
            } catch (thrown) {
              end?.({ isFailed: true, thrown });
              throw thrown;
            }
          },
        }),
      ]);
      return Object.freeze(Object.fromEntries(observed)) as typeof protocols;
    },

    execute: (execute) => (request, executor) =>
      within(
        () => ({ name: 'execute', hasKey: request.key !== undefined }),
        () => execute(request, executor),
        ({ replayed }) => ({ replayed }),
      ),

    upstream: (handler) =>
      Object.freeze<Remote>({
        ...handler,
        forward: (request, context, key) =>
          within(
            () => ({
              name: 'upstream',
              upstream: handler.upstream,
              service: request.service.name,
              operation: request.operation.name,
              hasKey: key !== undefined,
            }),
            (step) => {
              const traceparent = step?.traceparent;
              if (traceparent === undefined) return handler.forward(request, context, key);
              const head = { headers: {}, ...request.head, traceparent };
              return handler.forward({ ...request, head }, context, key);
            },
            ({ requestReference }) => ({ requestReference }),
          ),
      }),
  };
}

type StepListener = (step: Step) => EndStep | undefined;

function listenersOf(observers: readonly RequestObserver[]): readonly StepListener[] {
  return observers.flatMap(({ step }) => step ?? []);
}

/** Returns what ends the step for all observers; undefined where none observes it. */
function begin(listeners: readonly StepListener[], step: Step): EndStep | undefined {
  const ends = listeners.flatMap((listen) => listen(step) ?? []);
  if (ends.length <= 1) return ends[0];
  return (result) => {
    for (const end of ends) end(result);
  };
}

async function settle<T>(
  end: EndStep,
  work: Promise<T>,
  resultOf: (result: T) => Partial<StepResult> = () => ({}),
): Promise<T> {
  try {
    const result = await work;
    end({ isFailed: false, ...resultOf(result) });
    return result;
  } catch (thrown) {
    end({ isFailed: true, thrown });
    throw thrown;
  }
}
