/** Opens the idempotency cache in Redis, with its log lines and metrics. Quotas count there, too. */
import { readFileSync } from 'node:fs';
import { redisCountsOn, type SharedCounts } from '../access/index.ts';
import type { Config } from '../config/index.ts';
import type { IdempotencyCache } from '../core/idempotency/index.ts';
import type { Log, LogLevel, Metrics } from '../http/index.ts';
import type { CacheEvent } from '../stores/redis/index.ts';
import type { Backend } from './backend.ts';
import type { RedisEvent } from './open-records.ts';

/** Returns undefined without Redis. */
export async function openCache(
  { redisUrl, redisCaFile }: Config,
  { context, limits, records }: Pick<Backend, 'context' | 'limits' | 'records'>,
  log: Log,
  metrics: Metrics,
): Promise<IdempotencyCache | undefined> {
  const report = ({ kind, ...members }: CacheEvent | RedisEvent): void => {
    metrics.redisEvent(kind);
    const line = lines[kind];
    if (line !== undefined) log.write(line.level, line.text, { redis: kind, ...members });
  };
  const redis = records?.redis;
  if (redis !== undefined) {
    redis.listen(report);
    metrics.redisUp = () => redis.isUp;
    metrics.redisMemory = redis.memory;
    metrics.recordsLost = () => records?.isLost === true;
    shareCounts(limits, redis.client);
    return findsByReserving;
  }
  if (redisUrl === undefined) return undefined;
  // Loaded on demand: a server without Redis needs no client.
  const { openRedisCache } = await import('../stores/redis/index.ts');
  const cache = openRedisCache({
    url: redisUrl,
    ca: redisCaFile === undefined ? undefined : readFileSync(redisCaFile, 'utf8'),
    clock: context.clock,
    onEvent: report,
    warn: (text) => log.write('warn', text),
  });
  metrics.redisUp = () => cache.state() === 'up';
  shareCounts(limits, cache.client);
  return cache;
}

/** The lines of the log; the other events are counted. */
const lines: Readonly<Partial<Record<(CacheEvent | RedisEvent)['kind'], { level: LogLevel; text: string }>>> = {
  up: { level: 'info', text: 'Redis is up' },
  down: { level: 'info', text: 'Redis is down' },
  lost: {
    level: 'error',
    text: 'the store in Redis has lost records: writes to servers that do not deduplicate are refused',
  },
  settling: { level: 'warn', text: 'the store in Redis was restarted or failed over: gateways compare what they know' },
  same: { level: 'info', text: 'the store in Redis is the one that this gateway knows' },
};

/** Spares a read: the records in Redis are read as they are reserved. */
const findsByReserving: IdempotencyCache = Object.freeze<IdempotencyCache>({
  reserve: async () => ({ kind: 'reserved', token: '' }),
  complete: async () => {},
  release: async () => {},
  close: async () => {},
});

/** The library is loaded for the first event that is counted. */
function shareCounts(limits: Backend['limits'], client: object): void {
  let counts: Promise<SharedCounts> | undefined;
  limits.share({
    async add(event) {
      counts ??= redisCountsOn(client);
      return (await counts).add(event);
    },
  });
}
