/** Creates spans with the SDK of OpenTelemetry. The span of a request is the parent of those that begin while it is handled. */
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { WireRequest } from '../../core/formats/index.ts';
import {
  type Answer,
  type EndStep,
  type HttpFacts,
  type RequestObserver,
  runningStep,
  runOutsideSteps,
  type Step,
  type StepFacts,
} from '../../core/gateway/index.ts';
import { maskRequestId } from '../../http/index.ts';
import type { Dialect } from '../../stores/index.ts';
import type { Tracing } from './telemetry.ts';

export function createTracing(tracer: Tracer): Tracing {
  const contexts = new WeakMap<Step, Context>();
  const requests = new WeakMap<WireRequest, Span>();

  /** Starts the span of a step. Those of its steps are below it. */
  function start(step: Step, name: string, options: SpanOptions, parent: Context): Span {
    const span = tracer.startSpan(name, options, parent);
    contexts.set(step, trace.setSpan(parent, span));
    return span;
  }

  function startRequest(step: Step, sentTrace: string | undefined, httpVersion: string): EndStep {
    const { request } = step;
    const parent =
      sentTrace === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, { ...parse(sentTrace), isRemote: true });
    const attributes = {
      'http.request.method': request.method,
      'url.scheme': request.sender?.scheme,
      'client.address': request.sender?.address,
      'network.protocol.version': httpVersion,
    };
    const span = start(step, request.method, { kind: SpanKind.SERVER, attributes }, parent);
    step.traceparent = print(span.spanContext());
    requests.set(request, span);
    return ({ isFailed }) => {
      // Else `answered` ends it.
      if (!isFailed) return;
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
  }

  const observer: RequestObserver = {
    step(step) {
      const { facts, parent } = step;
      if (facts.name === 'request') return startRequest(step, facts.sentTrace, facts.httpVersion);
      const above = (parent && contexts.get(parent)) ?? ROOT_CONTEXT;
      const { name, options } = describeStep(facts);
      const span = start(step, name, options, above);
      if (facts.name === 'upstream' || (facts.name === 'transaction' && isSampled(span)))
        step.traceparent = print(span.spanContext());
      return ({ isFailed, thrown, replayed }) => {
        if (replayed !== undefined) span.setAttribute('triglyph.replayed', replayed);
        if (isFailed) fail(span, thrown);
        span.end();
      };
    },
    answered(request, answer, http) {
      const span = requests.get(request);
      if (span === undefined) return;
      requests.delete(request);
      describeRequest(span, answer, http);
      span.end();
    },
  };

  /** Runs the work in a span of its own. */
  async function within<T extends { readonly kind: string }>(
    { name, expected, options, parent }: OwnSpan,
    work: (span: Span) => Promise<T>,
  ): Promise<T> {
    const span = tracer.startSpan(name, options, parent);
    try {
      const result = await work(span);
      span.setAttribute('triglyph.outcome', result.kind);
      if (result.kind !== expected) span.setStatus({ code: SpanStatusCode.ERROR });
      return result;
    } catch (thrown) {
      fail(span, thrown);
      throw thrown;
    } finally {
      span.end();
    }
  }

  return Object.freeze<Tracing>({
    observer,

    delivery: ({ endpointId, traceparent, attempt }, deliver) => {
      const links = traceparent === undefined ? [] : [{ context: parse(traceparent) }];
      const attributes = { 'triglyph.endpoint': endpointId, 'triglyph.attempt': attempt };
      const options = { kind: SpanKind.CLIENT, attributes, links };
      // Jobs are found by a timer that a request may have set: the span has no parent.
      return runOutsideSteps(() =>
        within({ name: 'webhook', expected: 'accepted', options, parent: ROOT_CONTEXT }, deliver),
      );
    },

    call: ({ name, isJob, expected }, call) => {
      const step = isJob ? undefined : runningStep();
      const parent = (step && contexts.get(step)) ?? ROOT_CONTEXT;
      return within({ name, expected, options: { kind: SpanKind.CLIENT }, parent }, (span) =>
        call(print(span.spanContext())),
      );
    },
  });
}

/** The span of work that is no step of a request. */
interface OwnSpan {
  readonly name: string;
  /** The kind of result that is no error. */
  readonly expected: string;
  readonly options: SpanOptions;
  readonly parent: Context;
}

/** The name and the attributes of the span of a step. */
function describeStep(facts: Exclude<StepFacts, { readonly name: 'request' }>): {
  readonly name: string;
  readonly options: SpanOptions;
} {
  const { name } = facts;
  switch (name) {
    case 'decode':
      return { name, options: { attributes: { 'triglyph.protocol': facts.format } } };
    case 'execute':
      return { name, options: { attributes: { 'triglyph.keyed': facts.hasKey } } };
    case 'read':
    case 'transaction':
      return { name, options: { kind: SpanKind.CLIENT, attributes: { 'db.system.name': systems[facts.dialect] } } };
    case 'upstream': {
      const { upstream, service, operation } = facts;
      const attributes = {
        'triglyph.upstream': upstream,
        'triglyph.service': service,
        'triglyph.operation': operation,
      };
      return { name: `${upstream} ${operation}`, options: { kind: SpanKind.CLIENT, attributes } };
    }
    default:
      return name satisfies never;
  }
}

const systems: Readonly<Record<string, string>> = { postgres: 'postgresql', sqlite: 'sqlite' } satisfies Record<
  Dialect,
  string
>;

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

/** Names and numbers as in the line of the log, never raw paths, whose segments may identify shoppers. */
function describeRequest(span: Span, { entry }: Answer, { method, requestId, status, aborted }: HttpFacts): void {
  if (!span.isRecording()) return;
  const { path, problem, service, operation } = entry;
  if (path !== undefined) span.updateName(`${method} ${path}`);
  const isFailure = problem?.type === 'internal';
  span.setAttributes({
    'http.route': path,
    'url.path': path,
    'http.response.status_code': status,
    'user_agent.original': entry.client,
    'triglyph.protocol': entry.protocol,
    'triglyph.service': service,
    'triglyph.operation': operation,
    'triglyph.version': entry.version,
    'triglyph.requested_version': entry.requestedVersion,
    'triglyph.credential': entry.credential,
    'triglyph.request_reference': entry.requestReference || undefined,
    'triglyph.request_id': maskRequestId(requestId),
    'triglyph.outcome': entry.outcome,
    ...(entry.replayed && { 'triglyph.replayed': true }),
    ...(aborted && { 'triglyph.aborted': true }),
    ...(isFailure && { 'error.type': problem.problem }),
  });
  // A SOAP Fault is HTTP 500 for errors of the caller too.
  if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
}
