/** Counts events in the Redis that several processes share. */
import { RateLimiterRedis } from 'rate-limiter-flexible';

/** The sum over all processes; undefined while Redis does not answer. Never rejects. */
export type CountShared = (key: string) => Promise<SharedCount | undefined>;

export interface SharedCount {
  readonly count: number;
  /** Milliseconds until the count begins again. */
  readonly leftMs: number;
}

/** Returns a counter for each name. */
export type OpenSharedCounter = (name: string, windowMs: number) => CountShared;

/** `client`: of ioredis, for one server, a Sentinel set or a cluster. */
export function sharedCountersOn(client: object): OpenSharedCounter {
  return (name, windowMs) => {
    const limiter = new RateLimiterRedis({
      storeClient: client,
      keyPrefix: `limit:v1:${name}`,
      // Quotas compare the counts themselves.
      points: 1,
      duration: Math.ceil(windowMs / 1000),
      rejectIfRedisNotReady: true,
    });
    return async (key) => {
      try {
        const { consumedPoints, msBeforeNext } = await limiter.penalty(key);
        return { count: consumedPoints, leftMs: msBeforeNext };
      } catch {
        // The connection reports its failures itself.
        return undefined;
      }
    };
  };
}
