/** The idempotency cache of a gateway without Redis: empty, so that the store always decides. */
import type { IdempotencyCache } from '../../src/core/idempotency/ports.ts';

export const noCache: IdempotencyCache = Object.freeze<IdempotencyCache>({
  reserve: async () => ({ kind: 'unknown' }),
  complete: async () => {},
  release: async () => {},
  close: async () => {},
});
