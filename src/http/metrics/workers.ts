/** The metrics of several workers, added up by their primary. */
import { AggregatorRegistry, Registry } from 'prom-client';

/** Of a worker: has its metrics added up by the primary. */
export const answerMetrics = (registry: Registry): void => {
  AggregatorRegistry.setRegistries(registry);
  // Made for its listener: it is this that answers the primary.
  new AggregatorRegistry();
};

/** Of a primary: the metrics of all workers, added up. */
export const workersMetrics = (): Pick<Registry, 'contentType' | 'metrics'> => {
  const aggregator = new AggregatorRegistry();
  return { contentType: Registry.PROMETHEUS_CONTENT_TYPE, metrics: () => aggregator.clusterMetrics() };
};
