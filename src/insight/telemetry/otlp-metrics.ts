/** The metrics of a registry as OTLP data points, under their names for Prometheus. */
import { type HrTime, ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type HistogramMetricData,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { ServedMetrics } from '../../http/index.ts';

/** As the registry returns it; its declarations have numbers in place of the types. */
interface Found {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
    /** Of a histogram: its name with `_bucket`, `_sum` or `_count` behind it. */
    readonly metricName?: string;
  }[];
}

type HistogramValue = HistogramMetricData['dataPoints'][number]['value'];

export interface Scope {
  readonly resource: Resource;
  readonly scope: { readonly name: string; readonly version: string };
  /** When counting began, in milliseconds since the epoch. */
  readonly startedAt: number;
}

export async function readMetrics(
  registry: ServedMetrics['registry'],
  { resource, scope, startedAt }: Scope,
): Promise<ResourceMetrics> {
  const startTime = hrTime(startedAt);
  const endTime = hrTime(Date.now());
  const found = (await registry.getMetricsAsJSON()) as unknown as readonly Found[];
  const metrics = found.flatMap((each) => toMetric(each, { startTime, endTime }) ?? []);
  return { resource, scopeMetrics: [{ scope, metrics }] };
}

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}

function toMetric({ name, help, type, values }: Found, times: Times): MetricData | undefined {
  const base = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = () => values.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  switch (type) {
    case 'counter':
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case 'gauge':
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case 'histogram':
      return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(values, times) };
    default:
      // Summaries, which none of ours is.
      return undefined;
  }
}

/** The values of a histogram are its cumulated buckets, its sum and its count, by labels. */
function histograms(values: Found['values'], times: Times): HistogramMetricData['dataPoints'] {
  const byLabels = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return [...byLabels].map(([labels, ofLabels]) => {
    const buckets = ofLabels.filter(({ labels: { le } }) => le !== undefined);
    const boundaries = buckets.flatMap(({ labels: { le } }) => (le === '+Inf' ? [] : [Number(le)]));
    const counts = buckets.map(({ value }, at) => value - (buckets[at - 1]?.value ?? 0));
    const last = (suffix: string) => ofLabels.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0;
    const value: HistogramValue = { buckets: { boundaries, counts }, sum: last('_sum'), count: last('_count') };
    return { ...times, attributes: JSON.parse(labels), value };
  });
}
