/** Counts events in the Redis that several processes share. */
import type { RateLimiterRedis } from 'rate-limiter-flexible';
import type { CountRule, SharedCounts } from './shared-counts.ts';

/** `client`: of ioredis, for one server, a Sentinel set or a cluster. The library is loaded by the first call. */
export async function redisCountsOn(client: object): Promise<SharedCounts> {
  const library = await import('rate-limiter-flexible');
  const limiters = new Map<string, RateLimiterRedis>();
  const limiterOf = (name: string, windowMs: number): RateLimiterRedis => {
    const known = limiters.get(name);
    if (known !== undefined) return known;
    const limiter = new library.RateLimiterRedis({
      storeClient: client,
      keyPrefix: `limit:v1:${name}`,
      // Quotas compare the counts themselves.
      points: 1,
      duration: Math.ceil(windowMs / 1000),
      rejectIfRedisNotReady: true,
    });
    limiters.set(name, limiter);
    return limiter;
  };
  return Object.freeze<SharedCounts>({
    async add({ rule, subject, member }) {
      const { name, windowMs } = rule;
      const sums = limiterOf(name, windowMs);
      try {
        const isNew =
          member === undefined || (await limiterOf(`${name}:members`, windowMs).penalty(member)).consumedPoints === 1;
        const sum = await (isNew ? sums.penalty(subject) : sums.get(subject));
        return sum === null
          ? { count: 0, leftMs: 0 }
          : { count: sum.consumedPoints, leftMs: leftMs(rule, sum.consumedPoints, sum.msBeforeNext) };
      } catch {
        // The connection reports its failures itself.
        return undefined;
      }
    },
  });
}

function leftMs({ max, blockMs }: CountRule, count: number, windowLeftMs: number): number {
  return count >= max && blockMs !== undefined ? blockMs : windowLeftMs;
}
