/** The gate of one simulated process: calls to the shared records, none of which need arrive. */
import type { CacheReservation, IdempotencyCache } from '../../src/idempotency/ports.ts';
import type { Port } from './port.ts';
import type { Records } from './records.ts';

const limitMs = 50;
const unknown: CacheReservation = Object.freeze({ kind: 'unknown' });
const nothing = (): void => {};

export const simGate = (records: Records, port: Port): IdempotencyCache => {
  const isDown = () => records.downUntil > port.scheduler.now;
  const tell = (point: string, apply: () => void) =>
    port.call<void>({ point, kind: 'gate', limitMs, apply: () => (isDown() ? undefined : apply()), fail: nothing });
  return Object.freeze<IdempotencyCache>({
    reserve: (scope, fingerprint) =>
      port.call<CacheReservation>({
        point: 'gate claim',
        kind: 'gate',
        limitMs,
        apply: () => (isDown() ? unknown : records.claim(scope, fingerprint)),
        fail: () => unknown,
      }),
    complete: (scope, kept) => tell('gate settle', () => records.settle(scope, kept)),
    release: (scope, ticket) => tell('gate release', () => records.release(scope, ticket)),
    close: async () => {},
  });
};
