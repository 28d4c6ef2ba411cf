/** Counts nothing: a gateway inside a program has no admin port, and loads no library for metrics. */
import type { Metrics } from './metrics.ts';

export function createNoMetrics(): Metrics {
  return {
    inFlight: 0,
    connections: () => 0,
    count: ignore,
    redisEvent: ignore,
    webhookEvent: ignore,
    logEvent: ignore,
    connectionRefused: ignore,
    addEventCounter: () => ignore,
    upstreams: { called: ignore, lookedUp: ignore, retried: ignore, unknownMembers: ignore, observe: ignore },
    shadows: {
      copied: ignore,
      dropped: ignore,
      failed: ignore,
      compared: ignore,
      unlisted: ignore,
      rolledBack: ignore,
      observe: ignore,
    },
    jobs: { started: ignore, ended: ignore },
    observeConnections: ignore,
  };
}

function ignore(): void {}
