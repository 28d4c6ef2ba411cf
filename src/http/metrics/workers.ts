/** The metrics of several workers, combined by their primary. */
import { AggregatorRegistry, Registry } from 'prom-client';

/** In a worker: sends its metrics to the primary on request. */
export function answerMetrics(registry: Registry): void {
  AggregatorRegistry.setRegistries(registry);
  // The constructor adds the listener that answers the primary.
  new AggregatorRegistry();
}

/** In the primary: the combined metrics of all workers. */
export function workersMetrics(): Pick<Registry, 'contentType' | 'metrics'> {
  const aggregator = new AggregatorRegistry();
  return { contentType: Registry.PROMETHEUS_CONTENT_TYPE, metrics: () => aggregator.clusterMetrics() };
}
