/** A server process of the torture: the code of production, in which the harness can strike at a point, with the journal or without. */
import { writeSync } from 'node:fs';
import { openStrongroom } from '../../../src/app/backend.ts';
import { readConfig } from '../../../src/app/config.ts';
import { startServer } from '../../../src/app/server.ts';
import { noGate } from '../../../src/idempotency/no-cache.ts';
import { openGate } from '../../../src/store/redis/gate.ts';
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
const room = await openStrongroom(config, { exclusive: true });
const gate =
  config.redisUrl === undefined
    ? noGate
    : openGate({ url: config.redisUrl, mac: room.marks.mac, clock: room.world.clock });
const journal = process.env[journalVariable] !== 'off';
const details = woundedStore(room.details, pass, { journal });
const running = await startServer(config, { ...room, details }, { gate: woundedGate(gate, pass) });
process.once('SIGTERM', async () => {
  await running.stop();
  process.exit();
});
process.send?.({ callers: running.callers } satisfies Ready);
