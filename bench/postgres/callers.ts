/** Callers that send requests to all servers as fast as they are answered, and what became of them. */
import { Agent } from 'node:http';
import { statusOf } from '../load.ts';
import type { Cluster } from './cluster.ts';
import type { Company, OperationName } from './companies.ts';

export interface Measured {
  readonly operation: OperationName;
  readonly endpoints: number;
  readonly callers: number;
  readonly answered: number;
  readonly seconds: number;
  /** Sorted, in milliseconds; of answers with a status below 400. */
  readonly latencies: readonly number[];
  readonly refused503: number;
  readonly otherFailures: number;
  readonly commits: number;
  readonly rollbacks: number;
  /** Of the servers, with the deliveries that followed. */
  readonly cpuUs: number;
}

/** Waits first until all webhooks of the round before are delivered. */
export async function putCallers(
  cluster: Cluster,
  company: Company,
  operation: OperationName,
  callers: number,
  seconds: number,
): Promise<Measured> {
  await cluster.drain();
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const latencies: number[] = [];
  let refused503 = 0;
  let otherFailures = 0;
  const before = await cluster.counters();
  const cpuBefore = cluster.cpuUs();
  const startedAt = performance.now();
  const endsAt = startedAt + 1_000 * seconds;
  const caller = async (number: number) => {
    const origin = cluster.origins[number % cluster.origins.length]!;
    while (performance.now() < endsAt) {
      const sentAt = performance.now();
      const { path, ...request } = company.request(operation);
      const status = await statusOf(`${origin}${path}`, request, agent);
      if (status < 400) latencies.push(performance.now() - sentAt);
      else if (status === 503) refused503 += 1;
      else otherFailures += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, number) => caller(number)));
  const elapsed = (performance.now() - startedAt) / 1_000;
  agent.destroy();
  await cluster.drain();
  const after = await cluster.counters();
  return {
    operation,
    endpoints: company.endpoints,
    callers,
    answered: latencies.length,
    seconds: elapsed,
    latencies: latencies.sort((one, other) => one - other),
    refused503,
    otherFailures,
    commits: after.commits - before.commits,
    rollbacks: after.rollbacks - before.rollbacks,
    cpuUs: cluster.cpuUs() - cpuBefore,
  };
}
