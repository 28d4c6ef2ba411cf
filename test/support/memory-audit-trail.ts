/** An audit log in memory. */
import type { AuditEvent } from '../../src/access/audit/audit-event.ts';
import type { AuditTrail } from '../../src/access/audit/audit-trail.ts';

export function createMemoryAuditTrail(): AuditTrail & { readonly events: readonly AuditEvent[] } {
  const events: AuditEvent[] = [];
  return Object.freeze({
    events,
    record: (event: AuditEvent) => void events.push(event),
    recordOnce(event: AuditEvent) {
      if (!events.some(({ kind, subject }) => kind === event.kind && subject === event.subject)) events.push(event);
    },
    append: async (more: readonly AuditEvent[]) => void events.push(...more),
    flush: async () => {},
  });
}
