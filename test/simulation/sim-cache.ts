/** The idempotency cache of one simulated process: calls to the shared cache server, none of which need arrive. */
import type { CacheReservation, IdempotencyCache } from '../../src/idempotency/ports.ts';
import type { CacheServer } from './cache-server.ts';
import type { Port } from './port.ts';

const limitMs = 50;
const unknown: CacheReservation = Object.freeze({ kind: 'unknown' });
const ignore = (): void => {};

export function createSimulatedCache(server: CacheServer, port: Port): IdempotencyCache {
  const isDown = () => server.downUntil > port.scheduler.now;
  const notify = (point: string, apply: () => void) =>
    port.call<void>({ point, kind: 'cache', limitMs, apply: () => (isDown() ? undefined : apply()), fail: ignore });
  return Object.freeze<IdempotencyCache>({
    reserve: (recordKey) =>
      port.call<CacheReservation>({
        point: 'cache reserve',
        kind: 'cache',
        limitMs,
        apply: () => (isDown() ? unknown : server.reserve(recordKey)),
        fail: () => unknown,
      }),
    complete: (recordKey) => notify('cache complete', () => server.complete(recordKey)),
    release: (recordKey, token) => notify('cache release', () => server.release(recordKey, token)),
    close: async () => {},
  });
}
