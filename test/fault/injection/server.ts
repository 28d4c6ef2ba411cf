/** A server process of a fault-injection run: the production code with crash points, with or without idempotency records. */
import { writeSync } from 'node:fs';
import { startServer } from '../../../src/app/server.ts';
import { openBackend } from '../../../src/backend/backend.ts';
import { readConfig } from '../../../src/config/config.ts';
import { openRedisCache } from '../../../src/store/redis/cache.ts';
import { noCache } from '../../support/no-cache.ts';
import {
  type Interruption,
  type NoInterruption,
  noInterruption,
  type Point,
  type Ready,
  recordsVariable,
  stoppingLine,
} from './crash-points.ts';
import { instrumentCache, instrumentStore } from './instrumented-store.ts';

let next: Interruption | NoInterruption = noInterruption;

const pass = (point: Point): void => {
  if (next.point !== point) return;
  const { signal } = next;
  next = noInterruption;
  if (signal === 'SIGSTOP') writeSync(1, stoppingLine);
  process.kill(process.pid, signal);
};

process.on('message', (interruption: Interruption | NoInterruption) => {
  next = interruption;
});
// The process ends with the test that started it.
process.on('disconnect', () => process.exit());

const config = readConfig('production');
const backend = await openBackend(config, { exclusive: true });
const cache =
  config.redisUrl === undefined ? noCache : openRedisCache({ url: config.redisUrl, clock: backend.context.clock });
const records = process.env[recordsVariable] !== 'off';
const store = instrumentStore(backend.store, pass, { records });
const running = await startServer(config, { ...backend, store }, { cache: instrumentCache(cache, pass) });
process.once('SIGTERM', async () => {
  await running.stop();
  process.exit();
});
process.send?.({ callers: running.callers } satisfies Ready);
