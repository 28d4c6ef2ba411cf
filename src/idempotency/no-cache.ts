/** The gate of a gateway that shares nothing but its store: it knows nothing, so the journal is always asked. */
import type { IdempotencyCache } from './ports.ts';

export const noCache: IdempotencyCache = Object.freeze<IdempotencyCache>({
  reserve: async () => ({ kind: 'unknown' }),
  complete: async () => {},
  release: async () => {},
  close: async () => {},
});
