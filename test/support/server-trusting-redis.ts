/** A seeded defect: a server that repeats the effect of a key that Redis has just reserved, although the store has its record. */

import { clock } from '../../src/core/lib/clock.ts';
import { startServer } from '../../src/program/app/server.ts';
import { openRedisCache } from '../../src/stores/redis/cache.ts';
import { override, overrideWrites } from './override.ts';
import { openBuiltIn, readConfig } from './services.ts';

const config = readConfig('production');
const backend = await openBuiltIn(config, { exclusive: true });
const granted = new Set<string>();
const redis = openRedisCache({ url: config.redisUrl!, clock });
const cache = override(redis, {
  async reserve(recordKey) {
    const reservation = await redis.reserve(recordKey);
    if (reservation.kind === 'reserved') granted.add(recordKey);
    return reservation;
  },
});
const store = overrideWrites(backend.store, (tx) =>
  override(tx, {
    idempotencyRecords: override(tx.idempotencyRecords, {
      async reserve(recordKey, record) {
        const isStored = (await tx.idempotencyRecords.find(recordKey)) !== undefined;
        if (!granted.delete(recordKey) || !isStored) await tx.idempotencyRecords.reserve(recordKey, record);
      },
    }),
  }),
);

const running = await startServer(config, { ...backend, store }, { cache });
process.stdout.write(`ready: callers at ${running.callers}, admin at ${running.admin}\n`);
process.once('SIGTERM', async () => {
  await running.stop();
  process.exit();
});
