/** A set of services whose operations other servers answer: it has no work of its own. */
import type { ServiceSet, Services } from '../service-set.ts';

/** Returns the set without the jobs of its services. Their contracts, documents and credentials remain. */
export function withoutJobs<S extends Services>(set: ServiceSet<S>): ServiceSet<S> {
  return Object.freeze<ServiceSet<S>>({
    ...set,
    compose: (config, dependencies) =>
      Object.freeze({
        ...set.compose(config, dependencies),
        prepareJobs: async () => {},
        createJobHandlers: async () => [],
      }),
  });
}
