/** Opens the idempotency cache in Redis, with its log lines and metrics. Quotas count there, too. */
import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import type { Log } from '../http/log.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import type { IdempotencyCache } from '../idempotency/ports.ts';
import type { Backend } from './backend.ts';

/** Returns undefined without Redis. */
export async function openCache(
  { redisUrl, redisCaFile }: Config,
  { context, limits }: Pick<Backend, 'context' | 'limits'>,
  log: Log,
  metrics: Metrics,
): Promise<IdempotencyCache | undefined> {
  if (redisUrl === undefined) return undefined;
  // Loaded on demand: a server without Redis needs no client.
  const { openRedisCache } = await import('../store/redis/cache.ts');
  const cache = openRedisCache({
    url: redisUrl,
    ca: redisCaFile === undefined ? undefined : readFileSync(redisCaFile, 'utf8'),
    clock: context.clock,
    onEvent: ({ kind, ...members }) => {
      metrics.redisEvent(kind);
      if (kind === 'up' || kind === 'down') log.write('info', `Redis is ${kind}`, { redis: kind, ...members });
    },
    warn: (text) => log.write('warn', text),
  });
  metrics.redisUp = () => cache.state() === 'up';
  const { redisCountsOn } = await import('../callers/limits/redis-counts.ts');
  limits.share(redisCountsOn(cache.client));
  return cache;
}
