/** Starts the exports with the SDK of OpenTelemetry, configured by its standard variables. Requests never wait for them. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { TraceFlags } from '@opentelemetry/api';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type Variables, version } from '../../config/index.ts';
import { endsWithin } from '../../core/lib/index.ts';
import { createTracing } from './create-tracing.ts';
import { readMetrics, type Scope } from './otlp-metrics.ts';
import { endpointOf, type Telemetry, type TelemetryParts } from './telemetry.ts';

const name = 'triglyph';

export async function startExports({ variables, log, count }: TelemetryParts): Promise<Telemetry> {
  const resource = resourceFromAttributes({
    'service.name': name,
    'service.version': version,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    'process.pid': process.pid,
  }).merge(detectResources({ detectors: [envDetector] }));
  const report = createReport({ log, count });
  const isSet = (signal: 'TRACES' | 'METRICS') => endpointOf(variables, signal) !== undefined;

  let provider: TracerProvider | undefined;
  if (isSet('TRACES')) {
    const exporter: SpanExporter = reported(await createExporter(variables, 'TRACES'), 'traces', report);
    const limits = batchLimits(variables);
    const dropped = () => count('droppedSpans');
    provider = new TracerProvider({
      resource,
      sampler: samplerOf(variables),
      spanProcessors: [createSpanQueue(exporter, limits, dropped)],
    });
  }

  let metricExporter: PushMetricExporter | undefined;
  if (isSet('METRICS')) metricExporter = reported(await createExporter(variables, 'METRICS'), 'metrics', report);
  const scope: Scope = { resource, scope: { name, version }, startedAt: Date.now() };
  let timer: NodeJS.Timeout | undefined;
  let exporting: Promise<void> | undefined;
  let exportNow = async (): Promise<void> => {};

  return Object.freeze<Telemetry>({
    tracing: provider && createTracing(provider.getTracer(name, version)),
    exportMetrics(registry) {
      if (metricExporter === undefined) return;
      const exporter = metricExporter;
      exportNow = async () => {
        const metrics = await readMetrics(registry, scope);
        await new Promise<void>((resolve) => exporter.export(metrics, () => resolve()));
      };
      timer = setInterval(
        () => {
          // A receiver that does not answer has one export at a time.
          exporting ??= exportNow().finally(() => {
            exporting = undefined;
          });
        },
        numberOf(variables, 'OTEL_METRIC_EXPORT_INTERVAL', 60_000),
      );
      timer.unref();
    },
    async close(msMax) {
      clearInterval(timer);
      const metrics = async () => {
        await exporting;
        await exportNow();
        await metricExporter?.shutdown();
      };
      await endsWithin(Promise.allSettled([provider?.shutdown(), metrics()]), msMax);
    },
  });
}

function numberOf(variables: TelemetryParts['variables'], variable: string, otherwise: number): number {
  const value = Number(variables[variable] || Number.NaN);
  return Number.isInteger(value) && value > 0 ? value : otherwise;
}

function batchLimits(variables: TelemetryParts['variables']) {
  return {
    maxQueueSize: numberOf(variables, 'OTEL_BSP_MAX_QUEUE_SIZE', 2_048),
    maxExportBatchSize: numberOf(variables, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
    scheduledDelayMillis: numberOf(variables, 'OTEL_BSP_SCHEDULE_DELAY', 5_000),
    exportTimeoutMillis: numberOf(variables, 'OTEL_BSP_EXPORT_TIMEOUT', 30_000),
  };
}

interface Exporters {
  readonly TRACES: SpanExporter;
  readonly METRICS: PushMetricExporter;
}

/** The exporters read the endpoint, headers, time limit, compression and certificates from the environment themselves. */
async function createExporter<S extends keyof Exporters>(
  variables: TelemetryParts['variables'],
  signal: S,
): Promise<Exporters[S]>;
async function createExporter(
  variables: TelemetryParts['variables'],
  signal: keyof Exporters,
): Promise<SpanExporter | PushMetricExporter> {
  const given = variables[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] || variables.OTEL_EXPORTER_OTLP_PROTOCOL;
  const isJson = given === 'http/json';
  if (signal === 'TRACES') {
    const { OTLPTraceExporter } = isJson
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
    return new OTLPTraceExporter();
  }
  const { OTLPMetricExporter } = isJson
    ? await import('@opentelemetry/exporter-metrics-otlp-http')
    : await import('@opentelemetry/exporter-metrics-otlp-proto');
  return new OTLPMetricExporter();
}

type Report = (signal: string, failure: Error | undefined) => void;

/** Counts each export, and logs the first that fails and the first that succeeds again. */
function createReport({ log, count }: Pick<TelemetryParts, 'log' | 'count'>): Report {
  const failing = new Set<string>();
  return (signal, failure) => {
    count(failure === undefined ? 'exported' : 'failed');
    if (failure !== undefined && !failing.has(signal)) {
      failing.add(signal);
      log.write('error', 'exporting to OpenTelemetry failed', { signal, cause: failure.message });
    }
    if (failure === undefined && failing.delete(signal)) log.write('info', 'exporting works again', { signal });
  };
}

interface Result {
  readonly code: number;
  readonly error?: Error;
}

interface Exporter<T> {
  export(data: T, done: (result: Result) => void): void;
}

function reported<T, E extends Exporter<T>>(exporter: E, signal: string, report: Report): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (data, done) =>
    send(data, (result) => {
      report(signal, result.code === 0 ? undefined : (result.error ?? new Error('no reason given')));
      done(result);
    });
  return exporter;
}

/** By default all traces are sampled, unless the caller says that its trace is not. */
function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument = '' }: Variables): Sampler {
  const given = Number.parseFloat(argument);
  const ratio = given >= 0 && given <= 1 ? given : 1;
  switch (name?.trim().toLowerCase()) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
    default:
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  }
}

interface QueueLimits {
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
  readonly scheduledDelayMillis: number;
  readonly exportTimeoutMillis: number;
}

/** `dropped` is called for each span that is dropped. */
function createSpanQueue(exporter: SpanExporter, limits: QueueLimits, dropped: () => void): SpanProcessor {
  let queued = 0;
  const send = exporter.export.bind(exporter);
  exporter.export = (spans, done) => {
    queued -= spans.length;
    send(spans, done);
  };
  const batches = new BatchSpanProcessor({ exporter, ...limits });
  return {
    onStart: (span, parent) => batches.onStart(span, parent),
    onEnd(span) {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
      if (queued >= limits.maxQueueSize) return dropped();
      // First, since the processor may export at once.
      queued += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
