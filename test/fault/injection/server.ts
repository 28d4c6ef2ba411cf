/** A server process of a fault-injection run: the code of production, in which the harness can strike at a point, with the journal or without. */
import { writeSync } from 'node:fs';
import { openBackend } from '../../../src/app/backend.ts';
import { readConfig } from '../../../src/app/config.ts';
import { startServer } from '../../../src/app/server.ts';
import { noCache } from '../../../src/idempotency/no-cache.ts';
import { openRedisCache } from '../../../src/store/redis/cache.ts';
import { journalVariable, type Nothing, nothing, type Order, type Point, type Ready, stoppingLine } from './points.ts';
import { woundedGate, woundedStore } from './seeded-defects.ts';

let order: Order | Nothing = nothing;

const pass = (point: Point): void => {
  if (order.point !== point) return;
  const { signal } = order;
  order = nothing;
  if (signal === 'SIGSTOP') writeSync(1, stoppingLine);
  process.kill(process.pid, signal);
};

process.on('message', (told: Order | Nothing) => {
  order = told;
});
// Without the harness there is nobody to serve.
process.on('disconnect', () => process.exit());

const config = readConfig('production');
const room = await openBackend(config, { exclusive: true });
const gate =
  config.redisUrl === undefined
    ? noCache
    : openRedisCache({ url: config.redisUrl, mac: room.requestHasher.mac, clock: room.context.clock });
const journal = process.env[journalVariable] !== 'off';
const details = woundedStore(room.store, pass, { journal });
const running = await startServer(config, { ...room, store: details }, { cache: woundedGate(gate, pass) });
process.once('SIGTERM', async () => {
  await running.stop();
  process.exit();
});
process.send?.({ callers: running.callers } satisfies Ready);
