/** The interface to the audit log. */
import type { AuditEvent } from './audit-event.ts';

export interface AuditTrail {
  /** Never waits and never throws: events are stored in batches. A crash loses those since the last batch. */
  record(event: AuditEvent): void;
  /** The same for an event that the log holds once for its kind and subject, such as the first use of a credential. */
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
