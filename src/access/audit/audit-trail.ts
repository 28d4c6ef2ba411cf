/** Records events in memory, and appends them to the audit log in batches. */

import { type Clock, shareRunning } from '../../core/lib/index.ts';
import { type AuditEvent, gatewayActor } from './audit-event.ts';
import type { AuditEntry, RecordedEvent } from './chain.ts';

export interface AuditTrail {
  /** Never waits and never throws: events are stored in batches. A crash loses those since the last batch. */
  record(event: AuditEvent): void;
  /** Records an event that the log holds once for its kind and subject, such as the first use of a credential. */
  recordOnce(event: AuditEvent): void;
  /** Resolves when the events are durable. For what must be recorded before it takes effect. */
  append(events: readonly AuditEvent[]): Promise<void>;
  /** Stores what was recorded before. Rejects where the store does not take it; the next time stores it then. */
  flush(): Promise<void>;
}

/** Records nothing. */
export const noAuditTrail: AuditTrail = Object.freeze<AuditTrail>({
  record: () => {},
  recordOnce: () => {},
  append: async () => {},
  flush: async () => {},
});

/** Appends events to the log, and returns their entries. */
export type AppendEvents = (events: readonly RecordedEvent[]) => Promise<readonly AuditEntry[]>;

interface AuditTrailParts {
  readonly append: AppendEvents;
  readonly clock: Clock;
}

/** Events in memory. Beyond it they are counted only. */
export const bufferedMax = 10_000;
/** Events of one transaction. */
const batchSize = 100;

export function createAuditTrail({ append, clock }: AuditTrailParts): AuditTrail {
  let waiting: RecordedEvent[] = [];
  let lost = 0;
  const flushing = shareRunning<'flush', void>();

  const add = (event: AuditEvent, once: boolean): void => {
    if (waiting.length >= bufferedMax) lost += 1;
    else waiting.push({ event, recordedAt: clock.now(), once });
  };
  const save = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize);
      const lostBefore = lost;
      // They belong after the others, which filled the buffer.
      const isLast = batch.length === waiting.length;
      const events = lostBefore > 0 && isLast ? [...batch, lostEvent(clock.now(), lostBefore)] : batch;
      await append(events);
      waiting = waiting.slice(batch.length);
      if (events !== batch) lost -= lostBefore;
    }
  };
  const flushAll = async (): Promise<void> => {
    // Events that were recorded after a batch began wait for the next one.
    while (waiting.length > 0) await flushing('flush', save);
  };

  return Object.freeze<AuditTrail>({
    record: (event) => add(event, false),
    recordOnce: (event) => add(event, true),
    async append(events) {
      // They are few and must not be lost, so their number has no limit.
      for (const event of events) waiting.push({ event, recordedAt: clock.now(), once: false });
      await flushAll();
    },
    flush: flushAll,
  });
}

function lostEvent(recordedAt: number, events: number): RecordedEvent {
  return {
    recordedAt,
    once: false,
    event: { kind: 'eventsLost', actor: gatewayActor, subject: 'buffer', detail: { events } },
  };
}
