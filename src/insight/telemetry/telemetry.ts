/** What the exports of traces and metrics need and offer, without the packages of OpenTelemetry. */
import type { Variables } from '../../config/index.ts';
import type { RequestObserver } from '../../core/gateway/index.ts';
import type { TraceCall } from '../../core/lib/index.ts';
import type { CountEvent, Log, ServedMetrics } from '../../http/index.ts';
import type { TraceDelivery } from '../../stores/jobs/index.ts';

export interface Tracing {
  /** Makes a span of each request, from its head to its response, and of each of its steps. */
  readonly observer: RequestObserver;
  readonly delivery: TraceDelivery;
  /** A call of a service to another server. */
  readonly call: TraceCall;
}

export interface Telemetry {
  /** Absent where no traces are exported. */
  readonly tracing?: Tracing | undefined;
  /** Exports the metrics from now on. */
  exportMetrics(registry: ServedMetrics['registry']): void;
  /** Exports what is left. Resolves within `msMax`, whether or not the receiver answers. */
  close(msMax: number): Promise<void>;
}

export interface TelemetryParts {
  readonly variables: Variables;
  readonly log: Log;
  /** Counts exports by signal and outcome. */
  readonly count: CountEvent;
}

export function isConfigured(variables: Variables): boolean {
  if (variables.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  return signals.some((signal) => endpointOf(variables, signal) !== undefined);
}

type Signal = 'TRACES' | 'METRICS';
const signals: readonly Signal[] = ['TRACES', 'METRICS'];

/** Where a signal goes; undefined where it is not exported. */
export function endpointOf(variables: Variables, signal: Signal): string | undefined {
  const exporter = variables[`OTEL_${signal}_EXPORTER`] ?? '';
  if (exporter !== '' && exporter !== 'otlp') return undefined;
  const endpoint = variables[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || variables.OTEL_EXPORTER_OTLP_ENDPOINT;
  return endpoint === undefined || endpoint === '' ? undefined : endpoint;
}
