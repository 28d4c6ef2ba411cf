/** The workload of a run, drawn from its seed: a few keys, the request of each, and what the clients send. */
import { resources } from '../resources/services.ts';
import type { ClientTask } from './client.ts';
import type { Random } from './random.ts';
import type { SimulatedRequest } from './request.ts';

const workload = resources.flatMap((resource) => resource.workload);
/** Most runs use one pool, so that requests meet at the same rows. */
const pools: readonly (readonly SimulatedRequest[])[] = [
  workload.map(({ request }) => request),
  ...[...Map.groupBy(workload, ({ pool }) => pool).values()].map((entries) => entries.map(({ request }) => request)),
];

const dayMs = 24 * 60 * 60 * 1000;
/** At once, in flight, past the freshness of a reservation, its lease, and the time-to-live of the cache. */
const startsMs = [0, 0, 0, 1, 3, 10, 300, 2_500, 20_000, 4_000_000] as const;
const afterExpiryMs = 32 * dayMs;
/** Shortly before a key expires, and past its expiry after that. */
const acrossExpiryMs = [31 * dayMs - 30_000, 40_000] as const;

export interface KeyUse {
  readonly key: string;
  readonly request: SimulatedRequest;
  /** Another request under the same key. */
  readonly otherRequest: SimulatedRequest;
}

export function drawKeys(random: Random): readonly KeyUse[] {
  const pool = random.pick(pools);
  return Array.from({ length: 1 + random.below(3) }, (_, index) => {
    const request = random.pick(pool);
    // A key belongs to the company or to its balance platform: each may use the other's for a request of its own.
    const others = pool.filter(({ text, service }) => text !== request.text && service.name === request.service.name);
    return { key: `key-${index + 1}`, request, otherRequest: random.pick(others) };
  });
}

/** `otherShare`: how often a client sends the other request under a key. */
export function drawTasks(random: Random, keys: readonly KeyUse[], otherShare: number): readonly ClientTask[] {
  const tasks = Array.from({ length: 1 + random.below(3) }, () => {
    const { key, request, otherRequest } = random.pick(keys);
    const sent = random.chance(otherShare) ? otherRequest : request;
    return { afterMs: random.pick(startsMs), key, request: sent, copies: random.chance(0.2) ? 2 : 1 };
  });
  const last = random.pick(tasks);
  if (random.chance(0.1)) return [...tasks, { ...last, afterMs: afterExpiryMs }];
  return random.chance(0.1) ? [...tasks, ...acrossExpiryMs.map((afterMs) => ({ ...last, afterMs }))] : tasks;
}
