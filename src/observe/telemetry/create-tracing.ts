/** Creates spans with the SDK of OpenTelemetry. The span of a request is the parent of those that begin while it is handled. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Protocol } from '../../formats/protocol.ts';
import type { Dialect } from '../../store/sql/engine.ts';
import { describeRequest } from './describe-request.ts';
import type { Tracing } from './tracing.ts';

interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: Link[];
}

export function createTracing(tracer: Tracer): Tracing {
  const contexts = new AsyncLocalStorage<Context>();

  function start(name: string, options: SpanOptions, parent = contexts.getStore() ?? ROOT_CONTEXT) {
    const span = tracer.startSpan(name, options, parent);
    return { span, context: trace.setSpan(parent, span) };
  }

  /** Runs the work in a span, whose parent is the span that runs now. */
  async function within<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const { span, context } = start(name, options);
    try {
      return await contexts.run(context, work, span);
    } catch (thrown) {
      fail(span, thrown);
      throw thrown;
    } finally {
      span.end();
    }
  }

  return Object.freeze<Tracing>({
    async middleware({ state }, next) {
      const { request } = state;
      const parent = request.isTraced
        ? trace.setSpanContext(ROOT_CONTEXT, { ...parse(request.traceparent), isRemote: true })
        : ROOT_CONTEXT;
      const { span, context } = start(request.method, { kind: SpanKind.SERVER }, parent);
      request.traceparent = print(span.spanContext());
      try {
        await contexts.run(context, next);
      } finally {
        describeRequest(span, state);
        span.end();
      }
    },

    decode(protocols) {
      const traced = Object.entries<Protocol>(protocols).map(([name, protocol]): [string, Protocol] => [
        name,
        Object.freeze<Protocol>({
          ...protocol,
          decode(body, media, target, head) {
            const { span } = start('decode', { attributes: { 'triglyph.protocol': name } });
            try {
              return protocol.decode(body, media, target, head);
            } catch (thrown) {
              fail(span, thrown);
              throw thrown;
            } finally {
              span.end();
            }
          },
        }),
      ]);
      return Object.freeze(Object.fromEntries(traced)) as typeof protocols;
    },

    execute: (execute) => (request, handler) =>
      within('execute', { attributes: { 'triglyph.keyed': request.key !== undefined } }, async (span) => {
        const result = await execute(request, handler);
        span.setAttribute('triglyph.replayed', result.replayed);
        return result;
      }),

    store(store, dialect) {
      const options = { kind: SpanKind.CLIENT, attributes: { 'db.system.name': systems[dialect] } };
      return Object.freeze<typeof store>({
        read: (work) =>
          within('read', options, () => {
            // Another request may run the work of this one, as in a common transaction.
            const context = contexts.getStore();
            return store.read((tx) => contexts.run(context!, work, tx));
          }),
        write: (work, writeOptions) =>
          within('transaction', options, (span) => {
            const context = contexts.getStore();
            return store.write((tx) => {
              if (isSampled(span)) tx.outbox.traceparent = print(span.spanContext());
              return contexts.run(context!, work, tx);
            }, writeOptions);
          }),
      });
    },

    upstream: (handler) =>
      Object.freeze<typeof handler>({
        ...handler,
        forward(request, context, key) {
          const { operation, service, head } = request;
          const attributes = {
            'triglyph.upstream': handler.upstream,
            'triglyph.service': service.name,
            'triglyph.operation': operation.name,
          };
          return within(`${handler.upstream} ${operation.name}`, { kind: SpanKind.CLIENT, attributes }, (span) => {
            const traced = { headers: {}, ...head, traceparent: print(span.spanContext()) };
            return handler.forward({ ...request, head: traced }, context, key);
          });
        },
      }),

    delivery: ({ endpointId, traceparent, attempt }, deliver) => {
      const links = traceparent === undefined ? [] : [{ context: parse(traceparent) }];
      const attributes = { 'triglyph.endpoint': endpointId, 'triglyph.attempt': attempt };
      // Jobs are found by a timer that a request may have set: the span has no parent.
      return contexts.run(ROOT_CONTEXT, () =>
        within('webhook', { kind: SpanKind.CLIENT, attributes, links }, async (span) => {
          const result = await deliver();
          span.setAttribute('triglyph.outcome', result.kind);
          if (result.kind !== 'accepted') span.setStatus({ code: SpanStatusCode.ERROR });
          return result;
        }),
      );
    },

    call: ({ name, isJob, expected }, call) =>
      contexts.run(isJob ? ROOT_CONTEXT : (contexts.getStore() ?? ROOT_CONTEXT), () =>
        within(name, { kind: SpanKind.CLIENT }, async (span) => {
          const result = await call(print(span.spanContext()));
          span.setAttribute('triglyph.outcome', result.kind);
          if (result.kind !== expected) span.setStatus({ code: SpanStatusCode.ERROR });
          return result;
        }),
      ),
  });
}

const systems = { postgres: 'postgresql', sqlite: 'sqlite' } as const satisfies Record<Dialect, string>;

/** Messages of errors may contain text of callers. */
function fail(span: Span, thrown: unknown): void {
  span.setAttribute('error.type', thrown instanceof Error ? thrown.name : typeof thrown);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function isSampled(span: Span): boolean {
  return (span.spanContext().traceFlags & 1) === 1;
}

function print({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

function parse(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = '0'] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}
